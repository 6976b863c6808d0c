/** What is known of the caller whose request makes a call. */
export interface CallerToken {
  /** The `Authorization` header of the request; absent in the background, where tokens are not kept. */
  readonly authorization: string | undefined
}

/** Whose identity a call to another agent carries. */
export interface CallIdentity {
  /** The value of the `Authorization` header; throws when there is none to be had. */
  authorization(caller: CallerToken): Promise<string>
  /** The other side did not accept this value. */
  refused?(value: string): void
}

/** Forwards the end user's bearer token unchanged. Only for agents that may see it (Authentication, 4). */
export function passThrough(): CallIdentity {
  return {
    async authorization({ authorization }) {
      if (authorization === undefined) throw new Error('the request has no token to pass through')
      return authorization
    },
  }
}
