import type { Prompt } from '../../events/index.ts'

const encoder = new TextEncoder()

/**
 * What a prompt that is sent again is known by: the id that its sender gave it, and what it says. A page that edits a
 * message keeps its id, and means another question.
 */
export async function toPromptKey(id: string, prompt: Prompt): Promise<string> {
  const text = JSON.stringify([id, prompt])
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
