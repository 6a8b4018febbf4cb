import { type ReadStream, readStream } from '../frames/read-stream.ts'

/** A minimal client: one request, one stream. */
export interface TestClient {
  readonly post: (
    path: string,
    body: unknown,
    headers?: Record<string, string>,
  ) => Promise<Response>
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>
  /** Sends a prompt, and reads the answer to its end. */
  readonly ask: (
    prompt: string,
    fields?: object,
  ) => Promise<ReadStream & { readonly session: string }>
  /** Answers pending calls, and reads the response to its end. */
  readonly answer: (
    session: string,
    results: Readonly<Record<string, string>>,
  ) => Promise<ReadStream>
  /** Reads the log after an id. */
  readonly watch: (session: string, cursor?: number) => Promise<ReadStream>
}

/** Creates a {@link TestClient}. */
export function createTestClient(url: string): TestClient {
  const get: TestClient['get'] = (path, headers = {}) => fetch(`${url}${path}`, { headers })
  const post: TestClient['post'] = (path, body, headers = {}) =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  return {
    get,
    post,
    ask: async (prompt, fields = {}) => {
      const session = crypto.randomUUID()
      const body = { agent_uuid: session, user_prompt: prompt, ...fields }
      return {
        session: body.agent_uuid,
        ...(await readStream(await post('/agent/run?compact=0', body))),
      }
    },
    answer: async (session, results) => {
      const tool_results = Object.entries(results).map(([tool_use_id, content]) => ({
        tool_use_id,
        content,
      }))
      return readStream(
        await post('/agent/tool_results?compact=0', { agent_uuid: session, tool_results }),
      )
    },
    watch: async (session, cursor = 0) =>
      readStream(await get(`/agent/${session}/stream?compact=0&cursor=${cursor}`)),
  }
}
