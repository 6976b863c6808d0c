import { definePlugin } from '@agentic-rest/gateway'
import { z } from 'zod'

const hourOfDay = z.int().min(0).max(24)

/** Refuses changes outside office hours. A test gives a clock of its own. */
export const officeHours = (now: () => Date = () => new Date()) =>
  definePlugin({
    name: 'office-hours',
    options: z.strictObject({ opens: hourOfDay, closes: hourOfDay, zone: z.string().default('UTC') }),
    create({ opens, closes, zone }) {
      const clock = new Intl.DateTimeFormat('en-GB', { hour: 'numeric', hourCycle: 'h23', timeZone: zone })
      const open = `${opens} to ${closes} o'clock, ${zone}`
      return {
        plan: ({ method }) =>
          method === 'GET'
            ? { runs: false, why: 'reading is always open' }
            : { runs: true, why: `open ${open}` },
        request() {
          const hour = Number(clock.format(now()))
          if (hour >= opens && hour < closes) return undefined
          return { type: 'forbidden', code: 'OUT_OF_HOURS', message: `This operation is open ${open}.` }
        },
      }
    },
  })

export const plugin = officeHours()
