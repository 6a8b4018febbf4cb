export {
  throttleSession,
  useAgent,
  useFrontendTool,
  usePendingTools,
  useSession,
  useTranscript,
} from '../react/index.ts'
export type { AgentHandle, PendingToolHandle } from '../react/index.ts'
