/** A JSON value in the form of the AI SDK. */
type AiSdkJson = string | number | boolean | null | AiSdkJson[] | { [key: string]: AiSdkJson }

interface TextPart {
  type: 'text'
  text: string
}

interface FilePart {
  type: 'file'
  /** Base64, or an address. */
  data: string
  mediaType: string
  filename?: string
}

interface ReasoningPart {
  type: 'reasoning'
  text: string
  providerOptions?: { [provider: string]: { [key: string]: AiSdkJson } }
}

interface CallPart {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
}

interface ResultPart {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: { type: 'text' | 'error-text'; value: string }
}

interface ApprovalPart {
  type: 'tool-approval-response'
  approvalId: string
  approved: boolean
  reason?: string
}

/** A message for a model of the AI SDK, assignable to its `ModelMessage` in versions 6 and 7. Messages of the SDK may have further parts. */
export type AiSdkMessage =
  | { role: 'user'; content: (TextPart | FilePart)[] }
  | { role: 'assistant'; content: (TextPart | ReasoningPart | CallPart)[] }
  | { role: 'tool'; content: (ResultPart | ApprovalPart)[] }
