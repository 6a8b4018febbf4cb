export type { ChatClient } from '../models/openai/chat-client.ts'
export { openai, type OpenAIOptions } from '../models/openai/openai.ts'
export {
  type ChatReader,
  type ChatReaderOptions,
  createFrameReader as createChatFrameReader,
  createChatReader,
} from '../models/openai/reader/chat-reader.ts'
export type { ThinkingReturn } from '../models/openai/request/chat-messages.ts'
export type { SegmentTextOptions } from '../models/text-tools/segment-text.ts'
export type { TextRequestOptions as SegmentsOptions } from '../models/text-tools/to-text-request.ts'
export type { ToolNotation, WrittenResult } from '../models/text-tools/tool-notation.ts'
