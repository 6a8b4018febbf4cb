import type { JsonValue } from '../json/index.ts'
import type { Pace } from './pace.ts'
import type { RequestMessage } from './request-content.ts'
import type { ScriptedReply } from './scripted-reply.ts'

/** What a scenario has read out of the prompt that chose it. */
export type ScenarioArgs = Readonly<Record<string, string | number>>

/** A tool call of the scripted model, with what came back. */
export interface ToolOutcome {
  readonly id: string
  readonly name: string
  readonly input: JsonValue
  readonly text: string
  /** How many images came with the text. */
  readonly images: number
  readonly isError: boolean
}

/** What a scenario may know when it is the model's turn. */
export interface Turn {
  /** The text of the last message in which a person said something. */
  readonly prompt: string
  readonly args: ScenarioArgs
  /** How often the model has answered since the prompt: 0 for the first time. */
  readonly step: number
  /** How often the same request has failed before, one after the other: 0 for the first time. */
  readonly attempt: number
  /** The calls since the prompt, in call order. */
  readonly results: readonly ToolOutcome[]
  /** The names of the tools that the request offers. */
  readonly tools: ReadonlySet<string>
  /** The whole conversation, as it was sent. */
  readonly messages: readonly RequestMessage[]
}

/** A file that the provider has made, to be had by its id. */
export interface ScriptedFile {
  readonly id: string
  readonly filename: string
  readonly mediaType: string
  readonly content: string
  readonly createdAt?: string
}

/** A script that answers some prompts. */
export interface Scenario {
  readonly name: string
  /** One sentence for a list of what can be tried. */
  readonly summary: string
  /** A prompt that chooses this scenario, to be offered as a suggestion. */
  readonly prompt?: string
  /** Files that its blocks name, as if the provider had made them. */
  readonly files?: readonly ScriptedFile[]
  /** The usual speed of its replies, unless the emulator is instant. */
  readonly pace?: Pace
  /** Tells whether this scenario answers a prompt, or what it has read out of it. */
  matches(prompt: string): boolean | ScenarioArgs
  reply(turn: Turn): ScriptedReply
  /**
   * What is said to words that it matches while another script is at work, which then goes on; without it, or where it
   * gives nothing, they are a prompt like any other.
   */
  acknowledge?(words: readonly string[]): string | undefined
}
