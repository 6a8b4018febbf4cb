export { defaultProjections, type Projection, type Projections } from './calls/projection.ts'
export type { Format } from './format.ts'
export type { HiddenCall } from './hidden-calls.ts'
export { presetFor } from './formats/preset-for.ts'
export { auto, presets, type PresetName } from './formats/presets.ts'
export { seedJson } from './formats/json/seed-json.ts'
export {
  createInvocationReader,
  type InvocationReader,
  type ToolInvocation,
} from './invocations/invocation-reader.ts'
export {
  toParameterTypes,
  type ParameterType,
  type ParameterTypes,
  type ToolParameters,
} from './parameter-types.ts'
export { createSegmentParser, type SegmentParser, type SegmentParserOptions } from './parser.ts'
export {
  createStreamingResponseHandler,
  type StreamingResponseHandler,
} from './response-handler.ts'
export {
  segmentTypes,
  type SegmentContent,
  type SegmentEnd,
  type SegmentEndPayload,
  type SegmentEvent,
  type SegmentStart,
  type SegmentType,
} from './segment-event.ts'
