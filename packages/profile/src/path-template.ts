const PARAMETER = /\{([^{}]*)\}/g

/** The names of the parameters in a path template such as `/campaigns/{campaignId}/optimizations`, in order. */
export function templateParameters(template: string): string[] {
  return [...template.matchAll(PARAMETER)].map(([, name = '']) => name)
}

/** A path template with a value for each parameter, encoded as one segment. */
export function fillTemplate(template: string, segmentOf: (name: string, index: number) => string): string {
  let index = -1
  return template.replaceAll(PARAMETER, (_whole, name: string) => {
    index += 1
    return encodeURIComponent(segmentOf(name, index))
  })
}

/** A path template whose parameters have no names: templates with one shape match the same paths. */
export function templateShape(template: string): string {
  return template.replaceAll(PARAMETER, '{}')
}
