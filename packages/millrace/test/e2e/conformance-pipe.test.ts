import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { builtCommand } from '../support/processes/example-process.ts'
import { parseCases } from '../../../tools/src/conformance/conformance-case.ts'
import { type PipeOptions, openPipe } from '../../../tools/src/conformance/pipe/open-pipe.ts'
import { runCase } from '../../../tools/src/conformance/run-case.ts'
import { runCommand } from '../../../tools/src/cli/run-command.ts'
import { isRunning, rightCase, smallAdapter } from '../support/processes/adapters.ts'
import { createRecordedTerminal } from '../support/processes/recorded-terminal.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const millrace = [process.execPath, builtCommand, 'conformance']
const ownAdapter = [...millrace, '--adapter']
const pythonAdapter = ['python3', '-B', join(root, 'examples/python-adapter/adapter.py')]

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs cases against a command, named a, b, c … */
async function run(command: readonly string[], args: readonly string[] = [], count = 1) {
  const file = join(folder, 'cases.jsonl')
  const cases = 'abcdefgh'
    .slice(0, count)
    .split('')
    .map((name) => ({ name, ...rightCase }))
  await writeFile(file, cases.map((one) => JSON.stringify(one)).join('\n'))
  const terminal = createRecordedTerminal()
  const code = await runCommand(['conformance', file, ...args, '--', ...command], terminal)
  const { printed, complaints } = terminal
  return { code, printed, complaints, last: printed.at(-1) }
}

/** Runs the one case against a command, with bounds of the test. */
async function faultsOf(command: readonly string[], options: PipeOptions) {
  const pipe = await openPipe(command, options)
  try {
    const [one] = parseCases(JSON.stringify({ name: 'a', ...rightCase }))
    return (await runCase(one!, pipe)).faults
  } finally {
    await pipe.close()
  }
}

const pidFile = (): string => join(folder, 'pid')
const notePid = (pid = 'process.pid'): string =>
  `fs.writeFileSync(${JSON.stringify(pidFile())}, String(${pid}));`
const notedPid = async (): Promise<number> => Number(await readFile(pidFile(), 'utf8'))

describe('a correct adapter passes', () => {
  test('with a table that reports it', async () => {
    const { code, printed } = await run(smallAdapter({}), [], 2)
    expect(code).toBe(0)
    expect(printed).toEqual([
      'small 1, over a pipe\n',
      'kind        passed  failed  not supported\nsse_decode  2       0       0\n',
      '2 passed, 0 failed',
    ])
  })

  test.each([
    [
      'when it answers in another order',
      'all.push(answer); if (all.length === 8) all.reverse().map(say)',
    ],
    [
      'when its lines come in pieces',
      `const isIdle = all.length === 0
       all.push(...(JSON.stringify(answer) + '\\r\\n').match(/[^]{1,7}/g))
       if (isIdle) setImmediate(function write() {
         if (all.length === 0) return
         process.stdout.write(all.shift(), () => setImmediate(write))
       })`,
    ],
  ])('%s', async (_how, onTask) => {
    const { code, last } = await run(smallAdapter({ start: 'const all = []', onTask }))
    expect([code, last]).toEqual([0, '1 passed, 0 failed'])
  })

  test('[ADAPT-8] and is ended if it does not exit by itself', async () => {
    const start = `${notePid()} setInterval(() => {}, 1e6);`
    expect((await run(smallAdapter({ start }))).code).toBe(0)
    expect(isRunning(await notedPid())).toBe(false)
  })

  test('[ADAPT-8] with its child processes, even if they keep its output open', async () => {
    const start = `
      const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1e6)'], {
        stdio: 'inherit',
      });
      ${notePid('child.pid')}`
    const { code } = await run(smallAdapter({ start, onEnd: 'process.exit(0)' }))
    expect(code).toBe(0)
    const pid = await notedPid()
    await expect.poll(() => isRunning(pid)).toBe(false)
  })
})

describe('an unsupported feature of an adapter', () => {
  const unable = smallAdapter({
    onTask: `say(task.case === 'b' ? { id: task.id, unsupported: 'b' } : answer)`,
  })

  test('[ADAPT-5] is counted separately, and not as passed', async () => {
    const { code, last } = await run(unable, [], 3)
    expect([code, last]).toEqual([0, '2 passed, 0 failed, 1 not supported'])
  })

  test('counts as failed if it was selected by name', async () => {
    const { code, printed, last } = await run(unable, ['--kinds', 'sse_decode'], 3)
    expect([code, last]).toEqual([1, '2 passed, 1 failed'])
    expect(printed.join('\n')).toContain('b (sse_decode): not supported: b')
  })

  test('is no success if no case is supported', async () => {
    const nothing = smallAdapter({ onTask: `say({ id: task.id, unsupported: 'all' })` })
    expect(await run(nothing)).toMatchObject({
      code: 1,
      last: '0 passed, 0 failed, 1 not supported',
    })
  })
})

describe('an incorrect adapter is detected', () => {
  test.each<[string, string, RegExp]>([
    [
      'in one answer of many',
      `if (task.case === 'b' && task.feeding === 'random cuts 3') answer.output.events = []; say(answer)`,
      /✗ .*b \(sse_decode\): \[random cuts 3\] data: expected \["x"\], found \[\]/,
    ],
    [
      'in the form of its output',
      `if (task.case === 'b') delete answer.output.events; say(answer)`,
      /output\.events/,
    ],
    [
      'because it fails',
      `say(task.case === 'b' ? { id: task.id, error: 'no idea' } : answer)`,
      /threw no idea/,
    ],
    [
      'because it dies',
      `if (task.case === 'b') process.exit(3); say(answer)`,
      /the adapter ended with code 3/,
    ],
    [
      'because it is killed',
      `if (task.case === 'b') process.kill(process.pid, 'SIGKILL'); else say(answer)`,
      /the adapter was ended by SIGKILL/,
    ],
    [
      'because it writes what is no answer',
      `if (task.case === 'b') console.log('Now for', task.case); say(answer)`,
      /wrote "Now for b", which is not an answer: it is not JSON\. Text for people belongs on stderr/,
    ],
    [
      'because it answers twice',
      `if (task.case === 'b' && task.feeding === 'whole') say(answer); say(answer)`,
      /task \d+ is not pending/,
    ],
  ])('%s, and the other cases run all the same', async (_how, onTask, words) => {
    const { code, printed, last } = await run(smallAdapter({ onTask }), [], 3)
    expect(printed.join('\n')).toMatch(words)
    expect([code, last]).toEqual([1, '2 passed, 1 failed'])
  })

  test('if it writes more after its last answer', async () => {
    const onEnd = `say({ id: 1, error: 'one more thing' })`
    const { code, printed, last } = await run(smallAdapter({ onEnd }))
    expect(printed.at(-2)).toMatch(
      /✗ at the end: the adapter wrote .*not an answer: task 1 is not pending/,
    )
    expect([code, last]).toEqual([1, '1 passed, 1 failed'])
  })

  test('[ADAPT-9] if it hangs, and is killed if it does not exit', async () => {
    const start = `${notePid()} process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6);`
    const hanging = smallAdapter({ start, onTask: '' })
    const { code, printed } = await run(hanging, ['--time-limit-ms', '100'])
    expect(code).toBe(1)
    expect(printed.join('\n')).toContain('the adapter gave no answer within 100 ms')
    expect(isRunning(await notedPid())).toBe(false)
  })

  test('[ADAPT-9] if a line of it does not end', async () => {
    const endless = smallAdapter({ onTask: `process.stdout.write('x'.repeat(100000))` })
    const faults = await faultsOf(endless, { maxLineChars: 20_000 })
    expect(faults[0]).toMatch(/line is longer than 20000 characters/)
  })

  test('[ADAPT-9] if it fails repeatedly, until it is abandoned', async () => {
    const { code, printed, last } = await run(
      smallAdapter({ onTask: `process.exit(task.case === 'a' ? 1 : 2)` }),
      [],
      8,
    )
    expect([code, last]).toEqual([1, '0 passed, 8 failed'])
    expect(printed.join('\n')).toContain('ended with code 2')
    const pipe = await openPipe(smallAdapter({ onTask: 'process.exit(1)' }), { maxRestarts: 1 })
    const [one] = parseCases(JSON.stringify({ name: 'a', ...rightCase }))
    const outcomes = [
      await runCase(one!, pipe),
      await runCase(one!, pipe),
      await runCase(one!, pipe),
    ]
    await pipe.close()
    expect(outcomes.map(({ faults }) => faults[0])).toEqual([
      expect.stringContaining('ended with code 1'),
      expect.stringContaining('ended with code 1'),
      expect.stringContaining('has failed 2 times and is given up'),
    ])
  })
})

describe('an adapter without a hello ends the test', () => {
  test.each<[string, string[], RegExp]>([
    ['one that is not there', ['no-such-adapter'], /there is no command "no-such-adapter"/],
    ['one that may not be run', [join(root, 'README.md')], /may not be executed/],
    ['one that dies at once', [process.execPath, '-e', 'process.exit(7)'], /ended with code 7/],
    [
      'one that greets otherwise',
      [process.execPath, '-e', 'console.log("hi")'],
      /wrote "hi", which is not its hello/,
    ],
  ])('%s', async (_what, command, words) => {
    const { code, printed, complaints } = await run(command)
    expect(code).toBe(1)
    expect(printed).toEqual([])
    expect(complaints).toEqual([expect.stringMatching(words)])
  })

  test('if it is silent', async () => {
    const silent = [process.execPath, '-e', `process.stdin.resume()`]
    await expect(openPipe(silent, { startLimitMs: 50 })).rejects.toThrow(
      'The adapter did not say hello within 50 ms.',
    )
  })
})

describe('the command in its own process', () => {
  const start = (...command: string[]) => {
    const [program = '', ...args] = [
      ...millrace,
      join(root, 'spec/vectors/sse.jsonl'),
      '--',
      ...command,
    ]
    return spawn(program, args, { cwd: root })
  }

  test('[ADAPT-1] shows the stderr of an adapter', async () => {
    const child = start(...smallAdapter({ start: `console.error('about to begin');` }))
    let complaints = ''
    child.stderr.on('data', (bytes: Buffer) => void (complaints += bytes.toString()))
    child.stdout.resume()
    const [code] = (await once(child, 'close')) as [number]
    expect(code).toBe(1)
    expect(complaints).toContain('about to begin')
  })

  test('ends the adapter on a termination signal', async () => {
    const child = start(...smallAdapter({ onTask: notePid() }))
    child.stdout.resume()
    child.stderr.resume()
    await expect.poll(() => existsSync(pidFile()), { timeout: 30_000 }).toBe(true)
    await expect.poll(notedPid).toBeGreaterThan(0)
    const exit = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await exit).toEqual([130, null])
    expect(isRunning(await notedPid())).toBe(false)
  })
})

/** Cases whose texts are cut in hundreds of ways; a sample of the cuts is enough here. */
const manyFeedings = new Set(['formats', 'presets', 'segments'])
const EVERY = 8

test('[ADAPT-3] this library passes cases of all kinds over the pipe', async () => {
  const files = readdirSync(join(root, 'spec/vectors')).map((file) => {
    const lines = readFileSync(join(root, 'spec/vectors', file), 'utf8')
      .trim()
      .split('\n')
    const isMany = manyFeedings.has(file.replace('.jsonl', ''))
    return isMany ? lines.filter((_, at) => at % EVERY === 0) : lines
  })
  const cases = files.flat()
  const file = join(folder, 'all.jsonl')
  await writeFile(file, cases.join('\n'))
  const terminal = createRecordedTerminal()
  const code = await runCommand(['conformance', file, '--', ...ownAdapter], terminal)
  expect(terminal.printed.at(-1)).toBe(`${cases.length} passed, 0 failed`)
  expect(code).toBe(0)
  const kinds = new Set(parseCases(cases.join('\n')).map(({ kind }) => kind))
  expect(kinds.size).toBe(11)
}, 300_000)

const hasPython = spawnSync('python3', ['--version']).status === 0
const pythonMissing = hasPython ? '' : ' (left out: no python3 was found; install it)'
if (!hasPython) console.warn('Leaving out the tests of the adapter in Python: there is no python3.')

describe.skipIf(!hasPython && process.env['CI'] !== 'true')(
  `the adapter in Python${pythonMissing}`,
  () => {
    test('passes all cases of the kinds of readers', async () => {
      const shared = join(root, '../shared/vectors/protocol.jsonl')
      const files = ['sse', 'transcript', 'legacy-xml'].map((name) =>
        join(root, `spec/vectors/${name}.jsonl`),
      )
      const kinds = ['--kinds', 'sse_decode,envelopes_to_ui,xml_to_json']
      const terminal = createRecordedTerminal()
      const all = existsSync(shared) ? [...files, shared] : files
      const code = await runCommand(
        ['conformance', ...all, ...kinds, '--', ...pythonAdapter],
        terminal,
      )
      expect(terminal.printed.at(-1)).toMatch(/^1\d\d passed, 0 failed$/)
      expect(code).toBe(0)
    })

    test('has the answers of spec/adapter.md', () => replay(pythonAdapter))
  },
)

test('this library has the answers of spec/adapter.md', () => replay(ownAdapter))

/**
 * Sends the messages of the runner in the example of the specification to an adapter, and expects
 * the answers there.
 */
async function replay([program = '', ...args]: readonly string[]): Promise<void> {
  const example = readFileSync(join(root, 'spec/adapter.md'), 'utf8')
  const said = (arrow: string): string[] =>
    [...example.matchAll(new RegExp(`^${arrow} (.*)$`, 'gm'))].map(([, line = '']) => line)
  const child = spawn(program, args, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(said('→').join('\n'))
  const lines: unknown[] = []
  for await (const line of createInterface({ input: child.stdout })) lines.push(JSON.parse(line))
  const [hello, ...answers] = said('←').map((line): unknown => JSON.parse(line))
  expect(answers).toHaveLength(3)
  expect(lines.slice(1)).toEqual(answers)
  expect(lines[0]).toMatchObject({
    hello: { protocol: 1, kinds: expect.arrayContaining(['sse_decode']) },
  })
  expect(hello).toMatchObject({ hello: { protocol: 1 } })
}
