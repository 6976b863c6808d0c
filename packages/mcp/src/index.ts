export {
  type Catalogue,
  type CatalogueFault,
  type CatalogueOptions,
  createCatalogue,
  type TargetRoute,
} from './catalogue/live-catalogue.ts'
export { readTool } from './catalogue/read-tool.ts'
export {
  type CatalogueTool,
  isToolName,
  MAX_NAME_LENGTH,
  type Place,
  type ToolDefinition,
  type ToolFault,
  type ToolReading,
  type ToolRoute,
  type ToolSettings,
  toolNameOf,
} from './catalogue/tool.ts'
export { type Environment, systemEnvironment } from './environment.ts'
export { readEvents } from './event-stream.ts'
export type { RunOptions } from './facade/call-requests.ts'
export { createFacade, type FacadeOptions, listedTools, OPERATION_TOOL } from './facade/facade.ts'
export type { CallFacts, InnerAnswer, InnerRequest, Send, StreamEvent } from './facade/inner-exchange.ts'
export { createEndpoint, type Endpoint } from './protocol/endpoint.ts'
export type { AnswerFacts, McpAnswer, McpRequest } from './protocol/http.ts'
export { MAX_OPEN_QUESTIONS, type OpenRequestsOptions } from './protocol/open-requests.ts'
export { openMessage, type RelayedMessage, sealMessage } from './protocol/relayed-message.ts'
export type { LegacyMode, ProtocolOptions } from './protocol/server.ts'
export type {
  Caller,
  Client,
  DetailedTask,
  HostContext,
  InputRequest,
  Progress,
  Task,
  TaskAnswer,
  ToolAnswer,
  ToolCall,
  ToolHost,
  ToolResult,
} from './protocol/tool-host.ts'
export {
  type LegacyVersion,
  MODERN_VERSION,
  type ProtocolVersion,
  protocolVersions,
} from './protocol/versions.ts'
export { isAllowedOrigin, type OriginRules } from './request-origin.ts'
export {
  challengeOf,
  metadataPaths,
  metadataUrl,
  type ProtectedResource,
  resourceMetadata,
} from './resource-metadata.ts'
export {
  createSeal,
  MAX_SEALED_CHARACTERS,
  MIN_SECRET_BYTES,
  type Seal,
  type SealOptions,
} from './sealed-text.ts'
export { type Bridge, type BridgeOptions, bridgeCodes, createStdioBridge } from './stdio-bridge.ts'
export { type LongLine, MAX_LINE_BYTES, readLines } from './stdio-lines.ts'
