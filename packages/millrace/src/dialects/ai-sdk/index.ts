export { aiSdkDialect } from './ai-sdk-dialect.ts'
export type { SubagentMode } from './subagent-parts.ts'
export { uiMessagesDialect } from './ui-messages-dialect.ts'
export type { AiSdkOptions } from './ui-writer.ts'
