import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { createRecordedTerminal } from '../../../../millrace/test/support/processes/recorded-terminal.ts'
import { startOddServer } from '../../../../millrace/test/support/network/odd-proxies.ts'
import { runCommand } from '../run-command.ts'

async function run(...args: string[]) {
  const terminal = createRecordedTerminal()
  const code = await runCommand(['doctor', ...args], terminal)
  return { code, output: terminal.printed.join('\n'), complaints: terminal.complaints.join('\n') }
}

test.each([
  [[], 'Name the server'],
  [['http://['], 'is not an address'],
  [['http://127.0.0.1', 'more'], 'Only one server'],
  [['http://127.0.0.1', '--idle', '0'], '--idle must be'],
  [['http://127.0.0.1', '--idle', '591'], '--idle must be'],
  [['http://127.0.0.1', '--origin', 'app'], '--origin must be'],
  [['http://127.0.0.1', '--other'], '--other'],
])('%j is misuse', async (args, message) => {
  const { code, complaints } = await run(...args)
  expect(code).toBe(2)
  expect(complaints).toContain(message)
})

/** An unused port. */
async function freePort(): Promise<number> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

test('if nothing listens, it reports that and the remedy', async () => {
  const { code, output } = await run(`127.0.0.1:${await freePort()}`)
  expect(code).toBe(1)
  expect(output).toContain('The connection was refused')
  expect(output).toContain('start the server or the proxy')
})

test('findings are available to programs too', async () => {
  const server = await startOddServer((_, answer) => {
    answer.writeHead(404, { server: 'nginx' })
    answer.end('Not Found')
  })
  const { code, output } = await run(server.url, '--json')
  await server.close()
  expect(code).toBe(1)
  expect(JSON.parse(output)).toMatchObject({
    url: `${server.url}/`,
    ok: false,
    proxies: ['nginx'],
    findings: [
      {
        check: 'reach',
        severity: 'problem',
        seen: expect.stringContaining('not a Millrace server: 404'),
        why: expect.stringContaining('does not forward these paths'),
        fixes: { nginx: { code: expect.stringContaining('proxy_pass') } },
      },
    ],
  })
})

test('the pending check is shown, and removed when it is done', async () => {
  const server = await startOddServer((_, answer) => void answer.end('nothing'))
  const shown: string[] = []
  const terminal = {
    ...createRecordedTerminal(),
    showProgress: (text: string) => void shown.push(text),
  }
  await runCommand(['doctor', server.url, '--idle', '120'], terminal)
  await server.close()
  expect(shown[0]).toBe('  0 of about 121 s  Server …')
  expect(shown.at(-1)).toBe('')
})

test('an interrupted doctor writes no report', async () => {
  const server = await startOddServer(() => {})
  const terminal = { ...createRecordedTerminal(), untilStopped: async () => {} }
  expect(await runCommand(['doctor', server.url], terminal)).toBe(130)
  expect(terminal.printed).toEqual([])
  await server.close()
})
