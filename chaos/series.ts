/** The series of one metric in a scrape, with labels and value. */
export function seriesOf(
  scrape: string,
  name: string,
): { readonly labels: string; readonly value: number }[] {
  return scrape
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .map((line) => ({
      labels: line.slice(name.length, line.lastIndexOf(' ')),
      value: Number(line.slice(line.lastIndexOf(' ') + 1)),
    }))
}

/** The sum over all series of a metric. */
export function seriesSum(scrape: string, name: string): number {
  return seriesOf(scrape, name).reduce((sum, { value }) => sum + value, 0)
}
