/** A clock controlled by the test. */
export function createTestClock() {
  let time = Date.parse('2030-01-01T00:00:00Z')
  return {
    now: () => new Date(time),
    forward(seconds: number) {
      time += seconds * 1000
    },
  }
}
