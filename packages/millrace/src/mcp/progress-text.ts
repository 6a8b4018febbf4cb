import type { Progress } from '@modelcontextprotocol/sdk/types.js'

/** People read a line, no more. */
const MAX_MESSAGE_CHARS = 500

/** Says how far a tool is, in a short sentence. */
export function toProgressText({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`
  if (message === undefined || message === '') return share
  return `${message.slice(0, MAX_MESSAGE_CHARS)} (${share})`
}
