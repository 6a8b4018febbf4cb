import type { Progress } from '@modelcontextprotocol/sdk/types.js'

/** Maximum length of a progress message: one line. */
const MAX_MESSAGE_CHARS = 500

/** Formats the progress of a tool. */
export function toProgressText({ progress, total, message }: Progress): string {
  const share = total === undefined ? String(progress) : `${progress} of ${total}`
  if (message === undefined || message === '') return share
  return `${message.slice(0, MAX_MESSAGE_CHARS)} (${share})`
}
