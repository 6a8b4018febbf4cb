// A server of the Model Context Protocol that misbehaves in the way its first argument names, over standard input and output.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { createHostility } from './hostility.mjs'

const [mode = '', mark = ''] = process.argv.slice(2)
const write = (text) => process.stdout.write(text)
const say = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const raw = {
  'half a line': () => flood(() => 'x'.repeat(65_536)),
  'no JSON': () => flood(() => 'this is no JSON\n'.repeat(10_000)),
  'empty lines': () => flood(() => '{}\n'.repeat(1000)),
  'endless stderr': () => {
    const chunk = 'noise '.repeat(10_000)
    const pour = () => {
      while (process.stderr.write(chunk));
      process.stderr.once('drain', pour)
    }
    pour()
  },
  grandchild: () => {
    process.on('SIGTERM', () => {})
    process.stdin.on('end', () => setInterval(() => {}, 1000))
    spawn('sleep', [mark], { stdio: 'ignore' })
  },
}

/** Writes as fast as it is read. */
function flood(next) {
  const pour = () => {
    while (write(next()));
    process.stdout.once('drain', pour)
  }
  pour()
}

process.stdout.on('error', () => process.exit())
const answer = createHostility(mode, say)
createInterface(process.stdin).on('line', (line) => answer(JSON.parse(line)))
raw[mode]?.()
