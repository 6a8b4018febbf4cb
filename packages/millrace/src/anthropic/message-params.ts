import type { MessageCreateParamsStreaming, ToolUnion } from '@anthropic-ai/sdk/resources/messages'

import type { ModelRequest, ToolSchema } from '../events/index.ts'

/** Parameters of the Messages API that go with every request: `thinking`, `tool_choice`, server tools and so on. */
export type ExtraParams = Partial<
  Omit<MessageCreateParamsStreaming, 'model' | 'messages' | 'stream'>
>

/** The body of a request; tools of `extra` are offered after those of the request. */
export function toMessageParams(
  modelId: string,
  { messages, system, tools = [], maxTokens }: ModelRequest,
  extra: ExtraParams,
): MessageCreateParamsStreaming {
  const offered = [...tools.map(toTool), ...(extra.tools ?? [])]
  return {
    max_tokens: maxTokens,
    ...(system === undefined ? {} : { system }),
    ...extra,
    ...(offered.length === 0 ? {} : { tools: offered }),
    model: modelId,
    // Blocks go back exactly as they came, also those of types that the SDK does not know yet.
    messages: messages as unknown as MessageCreateParamsStreaming['messages'],
    stream: true,
  }
}

function toTool({ name, description, inputSchema }: ToolSchema): ToolUnion {
  return { name, description, input_schema: { ...inputSchema, type: 'object' } }
}
