import type { outcomes } from '@agentic-rest/profile'
import type { Answered } from './answer.ts'
import type { RequestSettings, TextValue } from './client-request.ts'

/** The paths of a `paths` type as `openapi-typescript` generates it. */
export type PathOf<Paths> = Extract<keyof Paths, string>

type MethodName = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch'

/** The methods of a path, in capitals. */
export type MethodOf<Paths, Path extends keyof Paths> = {
  [Name in MethodName]: Name extends keyof Paths[Path]
    ? Paths[Path][Name] extends undefined
      ? never
      : Uppercase<Name>
    : never
}[MethodName]

/** The operation at a path and method. */
export type OperationOf<
  Paths,
  Path extends keyof Paths,
  Method extends string,
> = Paths[Path][Lowercase<Method> & keyof Paths[Path]]

type Json = (typeof outcomes)['success']['mediaType']
type StatusOf<Type extends keyof typeof outcomes> = (typeof outcomes)[Type]['status']

type Parameters<Operation, Place extends string> = Operation extends {
  parameters: { [Name in Place]?: infer Values }
}
  ? NonNullable<Values>
  : never

type JsonBody<Operation> = Operation extends { requestBody?: infer Body }
  ? JsonContent<NonNullable<Body>>
  : never

// Distributes over `Body`, so that an absent body stays `never`.
type JsonContent<Body> = Body extends { content: { [Type in Json]: infer Value } } ? Value : never

type IsOptionalBody<Operation> = Operation extends { requestBody: object } ? false : true

/** A required, optional or forbidden member, depending on its type. */
type Member<Name extends string, Value, Optional = object extends Value ? true : false> = [Value] extends [
  never,
]
  ? { readonly [Key in Name]?: undefined }
  : Optional extends true
    ? { readonly [Key in Name]?: Value | undefined }
    : { readonly [Key in Name]: Value }

type HeaderMember<Values> = [Values] extends [never]
  ? { readonly headers?: Readonly<Record<string, TextValue>> | undefined }
  : Member<'headers', Values & Readonly<Record<string, TextValue>>, object extends Values ? true : false>

type Target<Path, Method> = { readonly path: Path; readonly method: Method }

/** A request with path, method and inputs of the document. */
export type TypedRequest<Paths, Path extends keyof Paths, Method extends string> = RequestSettings &
  Target<Path, Method> &
  Member<'params', Parameters<OperationOf<Paths, Path, Method>, 'path'>> &
  Member<'query', Parameters<OperationOf<Paths, Path, Method>, 'query'>> &
  HeaderMember<Parameters<OperationOf<Paths, Path, Method>, 'header'>> &
  Member<'body', JsonBody<OperationOf<Paths, Path, Method>>, IsOptionalBody<OperationOf<Paths, Path, Method>>>

/** A request of the document with optional inputs, because the service asks for missing ones. */
export type TypedRunRequest<Paths, Path extends keyof Paths, Method extends string> = RequestSettings &
  Target<Path, Method> &
  Member<'params', Parameters<OperationOf<Paths, Path, Method>, 'path'>> &
  Member<'query', Partial<Parameters<OperationOf<Paths, Path, Method>, 'query'>>> &
  HeaderMember<Partial<Parameters<OperationOf<Paths, Path, Method>, 'header'>>> &
  Member<'body', Partial<JsonBody<OperationOf<Paths, Path, Method>>>, true>

// The decoder removes the trace from a body.
type WithoutTrace<Body> = Body extends { trace?: { correlationId: string; requestId: string } }
  ? Omit<Body, 'trace'>
  : Body

type ResponseBody<Operation, Status> = Operation extends { responses: infer Responses }
  ? Status extends keyof Responses
    ? Responses[Status] extends { content: { [Type in Json]: infer Body } }
      ? WithoutTrace<Body>
      : unknown
    : unknown
  : unknown

/** The outcome of an operation, with the bodies of success and created in the document. */
export type TypedOutcome<Operation> = Answered<
  ResponseBody<Operation, StatusOf<'success'>>,
  ResponseBody<Operation, StatusOf<'created'>>
>
