/** The methods of operations. */
export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** One of the methods. */
export type Method = (typeof methods)[number]

/** The names of the parameters in a path template. */
export type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never

/** The parameters of a path template, by name. */
export type PathParams<Path extends string> = { readonly [Name in ParameterNames<Path>]: string }

// RFC 3986, section 3.3, without characters that a router could interpret.
const LITERAL = /^[A-Za-z0-9\-_~!$'()+,;=@][A-Za-z0-9\-._~!$'()+,;=:@]*$/
const PARAMETER = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/

/** Throws unless every segment of a template is a literal or one `{parameter}`. */
export function assertPathTemplate(path: string): void {
  const faulty = segmentsOf(path).find((segment) => !LITERAL.test(segment) && !PARAMETER.test(segment))
  if (!path.startsWith('/') || (faulty !== undefined && path !== '/')) {
    throw new TypeError(
      `its path ${path} has to be a slash and segments that are literals or one {parameter}`,
    )
  }
  const names = pathParameters(path)
  if (new Set(names).size < names.length) throw new TypeError(`its path ${path} names a parameter twice`)
}

/** The parameter names of a template, in order. */
export function pathParameters(path: string): readonly string[] {
  return segmentsOf(path).flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? [])
}

/** The template in the syntax of Hono's router. A colon starts a parameter only at the start of a segment. */
export function routerPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

/** Orders templates: a literal segment comes before a parameter at the same position. */
export function compareTemplates(left: string, right: string): number {
  const key = (path: string) => segmentsOf(path).map((segment) => (PARAMETER.test(segment) ? '1' : '0'))
  return key(left).join('').localeCompare(key(right).join(''))
}

/** Fills a template; returns the parameter whose value would change the path. */
export function fillTemplate(
  path: string,
  params: Readonly<Record<string, string | number>>,
): { readonly ok: true; readonly path: string } | { readonly ok: false; readonly parameter: string } {
  const filled: string[] = []
  for (const segment of segmentsOf(path)) {
    const name = PARAMETER.exec(segment)?.[1]
    const value = name === undefined ? segment : parameterValue(name, params)
    // Encoding does not change `..`, and the URL parser would remove a segment for it.
    if (name !== undefined && /^\.{0,2}$/.test(value)) return { ok: false, parameter: name }
    filled.push(name === undefined ? value : encodeURIComponent(value))
  }
  return { ok: true, path: `/${filled.join('/')}` }
}

function parameterValue(name: string, params: Readonly<Record<string, string | number>>): string {
  if (!Object.hasOwn(params, name)) throw new TypeError(`the path parameter ${name} is missing`)
  return String(params[name]).toWellFormed()
}

function segmentsOf(path: string): readonly string[] {
  return path.slice(1).split('/')
}
