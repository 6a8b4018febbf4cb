import { code, isSpace } from '../../characters.ts'
import { Marker } from '../../engine/scan/marker.ts'
import type { Reader, Reading } from '../../engine/reader.ts'
import type { Body } from '../../format.ts'
import { combine } from '../combine.ts'
import { invoke } from './invoke.ts'
import { think } from './think.ts'

const MESSAGE = '<|message|>'
const START = '<|start|>assistant'
const ends = ['<|eom|>', '<|eot|>']

/** Calls count only in a message to a tool. */
const calls: Body = {
  wrapper: {
    close: ends,
    blocks: invoke({ wrappers: ['function_calls'], prefixes: ['atem:'] }).blocks,
  },
}

const answer = [`${START} to=user${MESSAGE}`, START + MESSAGE]

/** Muse Glimmer: a message to oneself is reasoning, one to the user is text, and one to a tool contains a call. */
export const museGlimmer = combine(
  'muse-glimmer',
  think({
    open: `${START} to=self${MESSAGE}`,
    close: [...ends, ...answer],
    answer: [` to=user${MESSAGE}`, `to=user${MESSAGE}`],
    control: true,
  }),
  // The prompt ends after the role, so that the first message begins with its recipient.
  think({
    open: [` to=self${MESSAGE}`, `to=self${MESSAGE}`],
    close: ends,
    at: 'stream',
    control: true,
  }),
  {
    open: { probe: isFirstRecipient, first: ' t', at: 'stream' },
    control: true,
    body: { named: { until: [MESSAGE], pattern: /^to=(?<name>\S+)$/, body: calls } },
  },
  { open: { assign: `${START} to=`, end: MESSAGE }, control: true, body: calls },
)

const recipient = [new Marker('to=')]
const message = [new Marker(MESSAGE)]

/** Looks ahead at `to=name<|message|>`. */
function* isFirstRecipient(reader: Reader): Reading<boolean> {
  const limit = reader.position + reader.limits.maxOpener
  if ((yield* reader.peek()) === code.space) reader.position++
  if ((yield* reader.match(recipient)) === undefined) return false
  reader.position = reader.matchEnd
  let unit = yield* reader.peek()
  while (unit !== -1 && unit !== code.less && !isSpace(unit) && reader.position < limit) {
    reader.position++
    unit = yield* reader.peek()
  }
  return (yield* reader.match(message)) !== undefined && reader.matchEnd <= limit
}
