interface TextPart {
  type: 'input_text'
  text: string
}

interface ImagePart {
  type: 'input_image'
  /** An address, or a data URL. */
  image: string
}

interface FilePart {
  type: 'input_file'
  /** A data URL. */
  file: string | { url: string }
  filename?: string
}

/** A part of a user message for an agent of the OpenAI Agents SDK. */
export type OpenAiUserPart = TextPart | ImagePart | FilePart

/** An item of the input of an agent, assignable to `AgentInputItem` of the OpenAI Agents SDK. Items of the SDK may have further members. */
export type OpenAiItem =
  | { role: 'user'; content: OpenAiUserPart[] }
  | {
      role: 'assistant'
      status: 'completed'
      content: { type: 'output_text'; text: string }[]
    }
  | { type: 'function_call'; callId: string; name: string; arguments: string }
  | {
      type: 'function_call_result'
      callId: string
      name: string
      status: 'completed'
      output: { type: 'text'; text: string }
    }
