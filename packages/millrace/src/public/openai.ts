export { createChatFrameReader, createChatReader, openai } from '../models/openai/index.ts'
export type {
  ChatClient,
  ChatReader,
  ChatReaderOptions,
  OpenAIOptions,
  ThinkingReturn,
} from '../models/openai/index.ts'
export type {
  SegmentTextOptions,
  TextRequestOptions as SegmentsOptions,
  ToolNotation,
  WrittenResult,
} from '../models/text-tools/index.ts'
