export { aiSdkDialect } from './ai-sdk-dialect.ts'
export type { SubagentMode } from './subagent-parts.ts'
export type { AiSdkOptions } from './ui-writer.ts'
