import type { OptionTypes } from '../../errors/index.ts'
import type {
  ApproveOptions,
  CallAnswerOptions,
  CommandOptions,
  ControlOptions,
  DenyOptions,
  EventsOptions,
  ForkOptions,
  ListOptions,
  SendOptions,
  ShareOptions,
  StartOptions,
} from './sessions.ts'

const command = { key: 'string' } as const
const runCommand = { ...command, signal: 'object' } as const
const send = { ...runCommand, whenBusy: 'string', toolInput: 'string' } as const
const control = { ...command, agent: 'string' } as const

interface CommandTypes {
  readonly start: OptionTypes<StartOptions>
  readonly send: OptionTypes<SendOptions>
  readonly answer: OptionTypes<CallAnswerOptions>
  readonly approve: OptionTypes<ApproveOptions>
  readonly deny: OptionTypes<DenyOptions>
  readonly stop: OptionTypes<ControlOptions>
  readonly steer: OptionTypes<ControlOptions>
  readonly fork: OptionTypes<ForkOptions>
  readonly rename: OptionTypes<CommandOptions>
  readonly share: OptionTypes<ShareOptions>
  readonly list: OptionTypes<ListOptions>
  readonly events: OptionTypes<EventsOptions>
}

/** The types of the options of each command. */
export const optionTypes: CommandTypes = {
  start: { ...send, session: 'string', agent: 'string' },
  send,
  answer: { ...runCommand, isError: 'boolean', agent: 'string' },
  approve: { ...runCommand, input: 'object', inputHash: 'string', agent: 'string' },
  deny: { ...runCommand, reason: 'string', agent: 'string' },
  stop: control,
  steer: control,
  fork: { ...command, after: 'number', title: 'string' },
  rename: command,
  share: { expiresIn: 'number' },
  list: { limit: 'number', offset: 'number' },
  events: { after: 'number', follow: 'boolean', signal: 'object' },
}
