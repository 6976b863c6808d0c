/** The value of one series in a scrape; 0 when it is not there. */
export function metricValue(scrape: string, name: string, labels: Record<string, string> = {}): number {
  for (const line of scrape.split('\n')) {
    if (!line.startsWith(`${name}{`) && !line.startsWith(`${name} `)) continue
    const all = Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`))
    if (all) return Number(line.slice(line.lastIndexOf(' ') + 1))
  }
  return 0
}

/** All series of a metric in a scrape. */
export function metricLines(scrape: string, name: string): string[] {
  return scrape.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
}
