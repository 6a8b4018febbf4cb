import type { Pace, Scenario } from 'millrace-tools/emulator'
import { createTestClient, type TestClient } from './test-client.ts'
import { type TestServerOptions, type TestServer, openTestServer } from './test-server.ts'
import { payloadOf, type ReadStream } from '../frames/read-stream.ts'

/** Slow enough for actions in the middle of a run, fast enough for a test. */
export const slowPace: Pace = { tokensPerSecond: 400, firstTokenMs: 5, jitter: 0 }

/** Slow enough that a run is still active whenever it is stopped, also on a busy machine. */
export const endlessPace: Pace = { ...slowPace, tokensPerSecond: 25 }

/** An answer with a number of words, one number each, at the pace of the test server. */
export const countTo = (length: number): Scenario => ({
  name: 'slow',
  summary: 'many words',
  matches: () => true,
  reply: () => ({
    blocks: [{ type: 'text', text: Array.from({ length }, (_, n) => `${n} `) }],
  }),
})

/** A long answer at the pace of the test server. */
export const longAnswer: Scenario = countTo(400)

/** The whole numbers from 1 on. */
export const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n + 1)

/** The pending calls that a stream has announced. */
export function pendingIds(stream: ReadStream): string[] {
  const calls = payloadOf(stream, 'awaiting_frontend_tools') as { tool_use_id: string }[]
  return calls.map(({ tool_use_id }) => tool_use_id)
}

/** The error of a response, with its status. */
export async function errorOf(response: Response) {
  const { error } = (await response.json()) as { error: { code: string; message: string } }
  return { status: response.status, ...error }
}

/** Test servers that are closed together, with a client each. */
export function createTestServers() {
  const servers: TestServer[] = []
  return {
    open: async (options: TestServerOptions = {}): Promise<TestServer & TestClient> => {
      const server = await openTestServer(options)
      servers.push(server)
      return { ...server, ...createTestClient(server.url) }
    },
    close: async (): Promise<void> => {
      await Promise.all(servers.splice(0).map((server) => server.close()))
    },
  }
}
