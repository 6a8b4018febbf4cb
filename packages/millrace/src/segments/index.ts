export type { CallStart, CallWriter } from './calls/call-writer.ts'
export { defaultProjections } from './calls/projection.ts'
export type { Projection, Projections } from './calls/projection.ts'
export type { FormatChoice } from './choose-formats.ts'
export { defineFormat } from './define-format.ts'
export type { CodeRules } from './engine/code-regions.ts'
export type { Opening } from './engine/opening.ts'
export type { Reader } from './engine/reader.ts'
export type { Reading } from './engine/step.ts'
export type { Block, Body, Format, Mark, Open } from './format.ts'
export { invoke } from './formats/invoke.ts'
export type { InvokeTags } from './formats/invoke.ts'
export { jsonList } from './formats/json-list.ts'
export type { JsonListMarks } from './formats/json-list.ts'
export { auto, presets } from './formats/presets.ts'
export type { PresetName } from './formats/presets.ts'
export { think } from './formats/think.ts'
export type { ThinkTags } from './formats/think.ts'
export { toolCall } from './formats/tool-call.ts'
export type { ToolCallTags } from './formats/tool-call.ts'
export { toolTags } from './formats/tool-tags.ts'
export type { TaggedTools } from './formats/tool-tags.ts'
export { createInvocationReader } from './invocations/invocation-reader.ts'
export type { InvocationOptions, InvocationReader } from './invocations/invocation-reader.ts'
export { toParameterTypes } from './invocations/to-parameter-types.ts'
export { toToolInvocations } from './invocations/to-tool-invocations.ts'
export type { ToolInvocation } from './invocations/tool-invocation.ts'
export { defaultLimits } from './limits.ts'
export type { SegmentLimits } from './limits.ts'
export type { NativeCallDelta, NativeDelta } from './native/native-delta.ts'
export type { ParameterType, ParameterTypes, ToolParameters } from './parameter-types.ts'
export { createSegmentParser } from './parser.ts'
export type { SegmentParser, SegmentParserOptions } from './parser.ts'
export { createStreamingResponseHandler } from './response-handler.ts'
export type {
  StreamingResponseHandler,
  StreamingResponseHandlerOptions,
} from './response-handler.ts'
export type { CreateSegmentId } from './segment-emitter.ts'
export { segmentTypes } from './segment-event.ts'
export type {
  SegmentContent,
  SegmentEnd,
  SegmentEndPayload,
  SegmentEvent,
  SegmentStart,
  SegmentType,
} from './segment-event.ts'
export { createSegmentStream } from './segment-stream.ts'
export type { SourcePiece } from './source-piece.ts'
export { strategies } from './strategy.ts'
export type { Strategy, StrategyChoice } from './strategy.ts'
