export { type Clause, type ClauseId, clauses, outOfReach } from './clauses.ts'
export {
  type ExpectedFailure,
  type ExpectedFailuresResult,
  parseExpectedFailures,
  unknownRule,
} from './expected-failures.ts'
export { DraftError, draftScenario } from './init/draft-scenario.ts'
export { createSampler, type Sampler } from './init/sample-value.ts'
export type { Stage } from './observe/observe.ts'
export type { FileFault } from './offline/file-faults.ts'
export { type ReadDocument, readDocument } from './offline/read-document.ts'
export { createReferences, type OtherDocument, type References } from './offline/references.ts'
export { type FileKind, type FileResult, validateFile } from './offline/validate-file.ts'
export { badge } from './report/badge.ts'
export type { Report, ReportRow } from './report/report.ts'
export { textReport } from './report/text-report.ts'
export { type ReportFormat, reportFormats, writeReport } from './report/write-report.ts'
export type { Rule } from './rule.ts'
export { rules } from './rules.ts'
export { type ConformanceOptions, runConformance, UnreachableError } from './run-conformance.ts'
export {
  formatScenarioFaults,
  parseScenario,
  type ScenarioFault,
  type ScenarioResult,
} from './scenario/parse-scenario.ts'
export type { Scenario, ScenarioInput } from './scenario/scenario-schema.ts'
