export { ANSWERED_OUTPUT, aiSdkFormat, aiSdkReader } from '../../protocols/ai-sdk/index.ts'
export type {
  AiSdkOptions,
  AiSdkReaderOptions,
  SubagentMode,
} from '../../protocols/ai-sdk/index.ts'
