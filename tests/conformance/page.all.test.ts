import { writeReport } from '@agentic-rest/conformance'
import { sharedBrowser } from '@agentic-rest/testing/shared-browser'
import { testWith } from '@agentic-rest/testing/test-with'
import { expect, onTestFinished } from 'vitest'
import { askWrongService } from '../../packages/conformance/test/ask-wrong-service.ts'
import { overflowOf } from '../console/console-browser.ts'

testWith(
  'chromium',
  'no text of the HTML report runs over its box, on a narrow page or a wide one',
  async () => {
    const report = await askWrongService(
      {
        at: 'clarification',
        change(reply) {
          reply.status = 418
        },
      },
      { rules: ['row-clarification-required', 'row-approval-required', 'row-validation-failed'] },
    )
    const browser = await sharedBrowser()
    onTestFinished(() => browser.close())
    for (const width of [1100, 500, 320]) {
      const page = await browser.newPage({ viewport: { width, height: 800 } })
      await page.setContent(writeReport(report, 'html'))
      expect(await overflowOf(page), `${width} px`).toBeLessThanOrEqual(0)
      const tiles = page.locator('.outcomes li, .figures li, .rule')
      const over = await tiles.evaluateAll((boxes) =>
        boxes.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.textContent),
      )
      expect(over, `${width} px`).toEqual([])
    }
  },
)
