export type { ChatClient } from './chat-client.ts'
export { createFrameReader as createChatFrameReader } from './reader/chat-frames.ts'
export type { ThinkingReturn } from './request/chat-messages.ts'
export { createChatReader } from './reader/chat-reader.ts'
export type { ChatReader, ChatReaderOptions } from './reader/chat-reader.ts'
export { openai } from './openai.ts'
export type { OpenAIOptions } from './openai.ts'
export type {
  SegmentTextOptions,
  TextRequestOptions as SegmentsOptions,
  ToolNotation,
  WrittenResult,
} from '../text-tools/index.ts'
