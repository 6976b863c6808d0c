export {
  type AuditBatch,
  type AuditBody,
  AuditFile,
  type AuditFileOptions,
  type RotateOptions,
} from './audit-file.ts'
export { AuditLogError } from './audit-log-error.ts'
export { currentFile, type LogFiles, logFiles } from './log-files.ts'
export { type ProveOptions, type ProveResult, proveLines } from './prove-line.ts'
export {
  createNoteSigner,
  createNoteVerifier,
  type NoteSigner,
  type NoteVerifier,
  noteNameFault,
} from './signed-note.ts'
export { formatProof, isProof, type LineProof, parseProof, proofFault } from './tlog-proof.ts'
export {
  type CheckpointFile,
  type LogFault,
  type LogFaultKind,
  type LogReport,
  type VerifyOptions,
  verifyLog,
} from './verify-log.ts'
