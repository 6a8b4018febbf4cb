export {
  fromAgUi,
  type AgUiAgentOptions,
  type AgUiHeaders,
  type AgUiRequestRun,
  type AgUiTool,
} from '../agent/foreign/ag-ui/from-ag-ui.ts'
export {
  fromAiSdk,
  type AiSdkInput,
  type AiSdkAgentOptions,
  type AiSdkResult,
} from '../agent/foreign/ai-sdk/from-ai-sdk.ts'
export type { AiSdkMessage } from '../agent/foreign/ai-sdk/model-message.ts'
export type { AiSdkPart } from '../agent/foreign/ai-sdk/read-parts.ts'
export {
  fromEvents,
  type EventAgentOptions,
  type LoopOptions,
} from '../agent/foreign/from-events.ts'
export {
  fromLangGraph,
  type LangGraph,
  type LangGraphAgentOptions,
} from '../agent/foreign/lang-graph/from-lang-graph.ts'
export {
  fromOpenAiAgents,
  type OpenAiAgentInput,
  type OpenAiAgentOptions,
  type OpenAiRunResult,
} from '../agent/foreign/openai-agents/from-openai-agents.ts'
export type { OpenAiItem, OpenAiUserPart } from '../agent/foreign/openai-agents/input-item.ts'
export type { OpenAiInterruption, OpenAiRunEvent } from '../agent/foreign/openai-agents/read-run.ts'
export type { OpenAiRunState } from '../agent/foreign/openai-agents/restore-state.ts'
export { fromProducer, type ProducerAgentOptions } from '../agent/foreign/producer/from-producer.ts'
export type { RunToProduce } from '../agent/foreign/producer/produced-run.ts'
export type { LoopInput } from '../agent/foreign/foreign-loop.ts'
export type { LoopAnswer, LoopEvent } from '../agent/foreign/loop-event.ts'
