import { afterEach, describe, expect, test } from 'vitest'
import { finalText } from '../../src/public/index.ts'
import { createSession } from '../../src/client/transport/http/http-session.ts'
import {
  builtCommand,
  exampleFolder,
  type ExampleProcess,
  startExample,
} from '../support/processes/example-process.ts'
import { startNewApp } from '../support/processes/new-app.ts'

const started: ExampleProcess[] = []

/** Starts a process that is stopped after the test. */
function start(...args: Parameters<typeof startExample>): ExampleProcess {
  const example = startExample(...args)
  started.push(example)
  return example
}

afterEach(async () => {
  await Promise.all(started.splice(0).map(({ stop }) => stop()))
})

/** Sends a prompt, answers the questions of the agent with yes, and returns the answer. */
async function ask(url: string, prompt: string): Promise<string> {
  const session = createSession({ url })
  await session.run(prompt)
  for (const { callId } of session.getSnapshot().transcript.pending) {
    await session.answer(callId, 'yes')
  }
  session.close()
  return finalText(session.getSnapshot().transcript)
}

test('server-and-react: the server runs its tool, and asks the page before a large quantity', async () => {
  const cwd = exampleFolder('server-and-react')
  const server = start(['--import', 'tsx', 'server.ts'], { cwd })
  const url = await server.url()
  expect(server.output()).toContain('ANTHROPIC_API_KEY is not set')
  expect(await ask(url, 'Grind 5 kg of rye.')).toBe('5 kg of grain make 4 kg of flour.')
  expect(await ask(url, 'Grind 50 kg of rye.')).toBe('50 kg of grain make 40 kg of flour.')
})

test('plain-js: the server answers', async () => {
  const server = start(['server.js'], { cwd: exampleFolder('plain-js') })
  expect(await ask(await server.url(), '/demo thinking')).toContain('204')
})

test('an example whose port is in use reports it without a stack', async () => {
  const cwd = exampleFolder('plain-js')
  const first = start(['server.js'], { cwd })
  const PORT = new URL(await first.url()).port
  const second = start(['server.js'], { cwd, env: { PORT } })
  await second.exit
  expect(second.output()).toContain('PORT=8788 npm start')
  expect(second.output()).not.toMatch(/^\s+at /m)
})

test('the app of millrace init answers with its tool, and reports a missing key', async () => {
  const app = await startNewApp()
  try {
    expect(await ask(app.url, 'How much flour do 30 kg make?')).toContain('make 24 kg of flour')
    expect(await ask(app.url, 'Hello there')).toContain('I am a script')
    expect(app.process.output()).toContain('ANTHROPIC_API_KEY is not set')
  } finally {
    await app.close()
  }
})

test('Studio starts for the app of millrace init, and its agent answers there with its tool', async () => {
  const app = await startNewApp('studio')
  try {
    const page = await fetch(app.url)
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(await page.text()).toMatch(/<title>.*Studio/)
    expect(await ask(app.url, 'How much flour do 30 kg make?')).toContain('make 24 kg of flour')
    await app.process.waitFor('Agents    miller, from agents.js')
    expect(app.process.output()).toContain('Sessions  in .millrace/millrace.db')
  } finally {
    await app.close()
  }
})

describe('terminal', () => {
  async function open(...args: string[]) {
    const server = start([builtCommand, 'dev', '--pace', '300', '--store', 'memory:'])
    const client = start(['client.js', '--url', await server.url(), ...args], {
      cwd: exampleFolder('terminal'),
    })
    const type = async (line: string, answer: string | RegExp): Promise<void> => {
      client.child.stdin.write(`${line}\n`)
      await client.waitFor(answer)
    }
    await client.waitFor('Session ')
    return { url: await server.url(), client, type }
  }

  test('shows calls and answers, and asks the person questions and approvals', async () => {
    const { client, type } = await open()
    await type('/demo tools', 'in the order of my calls.')
    expect(client.output()).toMatch(/→ get_weather {"city":"Lisbon"}\n→ get_time .*\n✓ get_\w+: /)
    await type('/demo frontend', '? The weekly report is ready.')
    await type('yes', 'Sent.')
    await type('/demo approval', '! Run write_file')
    await type('Not on a Friday.', 'You denied it, with this reason')
    // The answer is streamed; this is a later part of it.
    await client.waitFor('> Not on a Friday.')
  })

  test('stops waiting for an unresponsive server, and reports its address and the problem', async () => {
    const server = start(['server.js'], { cwd: exampleFolder('plain-js') })
    const url = await server.url()
    await server.stop()
    const client = start(['client.js', '--url', url], { cwd: exampleFolder('terminal') })
    client.child.stdin.write('Hello?\n')
    await client.exit
    expect(client.output()).toContain(`${url} cannot be reached (ECONNREFUSED).`)
    expect(client.output()).toContain('Giving up.')
    expect(client.child.exitCode).toBe(1)
  })

  test('prints its usage', async () => {
    const client = start(['client.js', '--help'], { cwd: exampleFolder('terminal') })
    await client.exit
    expect(client.output()).toContain('Usage: node client.js')
    expect(client.child.exitCode).toBe(0)
  })

  test('stops the run at Ctrl-C, and continues a session by its id', async () => {
    const { url, client, type } = await open()
    await type('/demo long 100000', ' 40 ')
    client.child.kill('SIGINT')
    await client.waitFor('Stopped.')
    const id = /Session (\S+)/.exec(client.output())?.[1] ?? ''
    const next = start(['client.js', '--url', url, id], { cwd: exampleFolder('terminal') })
    await next.waitFor('Stopped.')
    next.child.stdin.end('/demo thinking\n')
    await next.waitFor('**204.**')
    expect(next.output()).toContain(' 40 ')
    await expect.poll(() => next.child.exitCode, { timeout: 10_000 }).toBe(0)
  })
})
