export { createExchangeRecorder } from './exchange-recorder.ts'
export type { ExchangeRecorder, ExchangeRecorderOptions } from './exchange-recorder.ts'
export { decodeRecording, isRecording } from './format/decode-recording.ts'
export type { DecodeRecordingOptions } from './format/decode-recording.ts'
export { encodeRecording } from './format/encode-recording.ts'
export type {
  RecordedBody,
  RecordedChunk,
  RecordedHeaders,
  RecordedRequest,
  RecordedResponse,
  Recording,
  RecordingEnd,
} from './recording.ts'
export type { PlainRequest, RedactRequestOptions } from './redaction/redact-request.ts'
export type { Clock } from './replay/clock.ts'
export { createReplay } from './replay/create-replay.ts'
export type { Replay, ReplayOptions } from './replay/create-replay.ts'
export type { Choice, ChoiceReason } from './replay/recording-chooser.ts'
export type { ReplayPace } from './replay/replay-pace.ts'
