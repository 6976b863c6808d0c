/** Whether an `Accept` header asks for an event stream by name; a wildcard or a weight of zero does not. */
export function acceptsEventStream(accept: string | undefined): boolean {
  if (accept === undefined || !/event-stream/i.test(accept)) return false
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return (
      type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(?:\.0{0,3})?$/.test(parameter))
    )
  })
}
