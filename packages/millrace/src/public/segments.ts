export type { CallStart, CallWriter } from '../segments/calls/call-writer.ts'
export {
  defaultProjections,
  type Projection,
  type Projections,
} from '../segments/calls/projection.ts'
export { defineFormat } from '../segments/check-format.ts'
export {
  type FormatChoice,
  strategies,
  type Strategy,
  type StrategyChoice,
} from '../segments/choose-formats.ts'
export {
  compatibilities,
  type Compatibility,
  type CompatibilityChoice,
} from '../segments/compatibility.ts'
export type { Opening, Reader, Reading } from '../segments/engine/reader.ts'
export type { CodeRules } from '../segments/engine/scan/code-regions.ts'
export { Marker, MarkerSet, type Mark, type MarkerOptions } from '../segments/engine/scan/marker.ts'
export type { Sink, SourcePiece } from '../segments/engine/scan/input-buffer.ts'
export type { SegmentWriter } from '../segments/engine/segment-output.ts'
export type { Body, CustomBody, Format, FormatBlock, Open, ToolBodies } from '../segments/format.ts'
export { hunyuan3, type HunyuanTags } from '../segments/formats/json/hunyuan.ts'
export { jsonList, type JsonListMarks } from '../segments/formats/json/json-list.ts'
export { seedJson } from '../segments/formats/json/seed-json.ts'
export { toolLines } from '../segments/formats/json/known-tools.ts'
export { presetFor } from '../segments/formats/preset-for.ts'
export { auto, presets, type PresetName } from '../segments/formats/presets.ts'
export { invoke, type InvokeTags } from '../segments/formats/tags/invoke.ts'
export {
  seedXml,
  type ContentMarkers,
  type SeedXmlOptions,
  type XmlToolState,
} from '../segments/formats/tags/seed-xml.ts'
export { think, type ThinkTags } from '../segments/formats/tags/think.ts'
export { toolCall, type ToolCallTags } from '../segments/formats/tags/tool-call.ts'
export { toolTags, type TaggedTools } from '../segments/formats/tags/coding-tools.ts'
export type { HiddenCall, HiddenReason } from '../segments/hidden-calls.ts'
export {
  createInvocationReader,
  toToolInvocations,
  type InvocationOptions,
  type InvocationReader,
  type ToolInvocation,
} from '../segments/invocations/invocation-reader.ts'
export {
  toParameterTypes,
  type ParameterType,
  type ParameterTypes,
  type ToolParameters,
} from '../segments/parameter-types.ts'
export { defaultLimits, type SegmentLimits } from '../segments/limits.ts'
export type { NativeCallDelta, NativeDelta } from '../segments/native-calls.ts'
export {
  createSegmentParser,
  createSegmentStream,
  type SegmentParser,
  type SegmentParserOptions,
} from '../segments/parser.ts'
export {
  createStreamingResponseHandler,
  type StreamingResponseHandler,
  type StreamingResponseHandlerOptions,
} from '../segments/response-handler.ts'
export type { CreateSegmentId } from '../segments/segment-emitter.ts'
export {
  segmentTypes,
  type SegmentContent,
  type SegmentEnd,
  type SegmentEndPayload,
  type SegmentEvent,
  type SegmentStart,
  type SegmentType,
} from '../segments/segment-event.ts'
