import { expect, test } from 'vitest'
import { examples } from '../settings/examples.ts'
import { toSettings } from '../settings/lab-address.ts'
import { runLab } from './lab-run.ts'

const hermes = toSettings(examples[0]!)
const xml = { ...hermes, format: { kind: 'xml', detail: '' } } as const

test.each([
  ['the command is empty', { ...xml, text: '<run_bash></run_bash>' }],
  [
    'the path is missing',
    {
      ...hermes,
      text: '<tool_call>{"name":"write_file","arguments":{"content":"x"}}</tool_call>',
    },
  ],
  ['the arguments are invalid', { ...xml, text: '<tool name="f">{"a":}</tool>' }],
  ['the stream ended inside the call', { ...xml, text: '<tool name="f"><a>1' }],
  [
    'the content does not match the format',
    { ...hermes, text: '<tool_call>{"name":"f","arguments":{a}}</tool_call>' },
  ],
])('a call that is not invoked has a reason: %s', (reason, settings) => {
  const [call] = runLab(settings).calls
  expect(call?.invocations).toEqual([])
  expect(call?.reason).toContain(reason)
})
