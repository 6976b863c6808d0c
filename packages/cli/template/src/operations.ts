import { answerQuestion } from './answer-question.ts'
import { createRefund } from './create-refund.ts'
import { createReport } from './create-report.ts'

/** All operations of this service. */
export const operations = [answerQuestion, createRefund, createReport]
