/** A part of the content of a message of LangChain. */
export type GraphPart =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; source_type: 'base64' | 'url'; mime_type: string; data?: string; url?: string }

/** A message that a graph of LangGraph accepts in its state. */
export interface GraphMessage {
  readonly id: string
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: string | readonly GraphPart[]
  readonly tool_calls?: readonly {
    readonly id: string
    readonly name: string
    readonly args: object
    readonly type: 'tool_call'
  }[]
  readonly tool_call_id?: string
  readonly name?: string
  readonly status?: 'success' | 'error'
}
