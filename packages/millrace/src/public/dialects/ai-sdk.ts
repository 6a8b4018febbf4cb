export type { SubagentMode } from '../../protocols/ai-sdk/subagent-parts.ts'
export { ANSWERED_OUTPUT } from '../../protocols/ai-sdk/ui-message.ts'
export { aiSdkReader, type AiSdkReaderOptions } from '../../protocols/ai-sdk/ui-reader.ts'
export { aiSdkFormat, type AiSdkOptions } from '../../protocols/ai-sdk/ui-writer.ts'
