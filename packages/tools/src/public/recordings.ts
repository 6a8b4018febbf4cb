export {
  createExchangeRecorder,
  type ExchangeRecorder,
  type ExchangeRecorderOptions,
} from '../recordings/exchange-recorder.ts'
export {
  decodeRecording,
  isRecording,
  type DecodeRecordingOptions,
} from '../recordings/format/decode-recording.ts'
export { encodeRecording } from '../recordings/format/encode-recording.ts'
export type {
  RecordedBody,
  RecordedChunk,
  RecordedHeaders,
  RecordedRequest,
  RecordedResponse,
  Recording,
  RecordingEnd,
} from '../recordings/recording.ts'
export type { PlainRequest, RedactRequestOptions } from '../recordings/redaction/redact-request.ts'
export {
  type Clock,
  createReplay,
  type Replay,
  type ReplayOptions,
  type ReplayPace,
} from '../recordings/replay/create-replay.ts'
export type { Choice, ChoiceReason } from '../recordings/replay/recording-chooser.ts'
