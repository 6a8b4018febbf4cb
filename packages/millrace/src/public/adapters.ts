export {
  fromAgUi,
  type AgUiAgentOptions,
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
export { fromProducer, type ProducerAgentOptions } from '../agent/foreign/producer/from-producer.ts'
export type { RunToProduce } from '../agent/foreign/producer/produced-run.ts'
export type { LoopInput } from '../agent/foreign/foreign-loop.ts'
export type { LoopAnswer, LoopEvent } from '../agent/foreign/loop-event.ts'
