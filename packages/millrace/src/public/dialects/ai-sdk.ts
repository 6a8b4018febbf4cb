export { ANSWERED_OUTPUT, aiSdkDialect, aiSdkReader } from '../../protocols/ai-sdk/index.ts'
export type {
  AiSdkOptions,
  AiSdkReaderOptions,
  SubagentMode,
} from '../../protocols/ai-sdk/index.ts'
