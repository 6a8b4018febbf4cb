import type { Mill } from './open-mill.ts'

/** Posts JSON to a server. */
export function post(mill: Mill, path: string, body: unknown): Promise<Response> {
  return fetch(`${mill.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** Starts a run of a new session without reading its stream. */
export async function ask(mill: Mill, prompt: string): Promise<string> {
  const session = crypto.randomUUID()
  const response = await post(mill, '/agent/run', { agent_uuid: session, user_prompt: prompt })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`A run was refused with ${response.status}.`)
  return session
}
