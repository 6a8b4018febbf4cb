import type { Opening } from '../../engine/reader.ts'
import type { FormatBlock, Format } from '../../format.ts'
import { combine } from '../combine.ts'
import type { ParameterType } from '../../parameter-types.ts'

/** The notation of a family of `invoke` tags. */
export interface InvokeTags {
  readonly name?: string
  /** Tags around the calls; calls outside them are read too. */
  readonly wrappers: readonly string[]
  /** The text between `<` and the name of each tag, such as `｜DSML｜`. */
  readonly prefixes?: readonly string[]
  /** The tag of a call and that of an argument, and the attribute with the name of either. */
  readonly call?: string
  readonly parameter?: string
  readonly attribute?: string
  readonly control?: boolean
}

/** Calls as `<invoke name="tool"><parameter name="key">value</parameter></invoke>`. */
export function invoke(tags: InvokeTags): Format {
  const { name = 'invoke', wrappers, prefixes = [''], control = false } = tags
  return {
    name,
    blocks: prefixes.flatMap((prefix) => {
      const closers = wrappers.map((wrapper) => `</${prefix}${wrapper}>`)
      const call = invokeBlock(tags, prefix, closers)
      const around = wrappers.map((wrapper): FormatBlock => ({
        open: { tag: wrapper, prefix: `<${prefix}` },
        control,
        orphans: [`</${prefix}${wrapper}>`],
        body: { wrapper: { close: closers, blocks: [call] } },
      }))
      return [...around, bareInvoke(tags, prefix)]
    }),
  }
}

const bareBlocks = new Map<string, FormatBlock>()

/** A call outside its wrapper: one block for all families with the same notation, so that they can be combined. */
export function bareInvoke(tags: Omit<InvokeTags, 'wrappers'>, prefix: string): FormatBlock {
  const { call, parameter, attribute, control } = tags
  const key = JSON.stringify([prefix, call, parameter, attribute, control])
  const block = bareBlocks.get(key) ?? invokeBlock(tags, prefix, [])
  bareBlocks.set(key, block)
  return block
}

/** One `invoke` element; the closing markers of its parents end it too. */
export function invokeBlock(
  tags: Omit<InvokeTags, 'wrappers'>,
  prefix: string,
  closers: readonly string[],
): FormatBlock {
  const { call = 'invoke', parameter = 'parameter', attribute = 'name', control = false } = tags
  const end = `</${prefix}${call}>`
  return {
    open: { tag: call, prefix: `<${prefix}`, require: [attribute] },
    control,
    orphans: [end],
    body: {
      fields: {
        name: attribute,
        field: { tag: parameter, prefix: `<${prefix}`, require: [attribute] },
        key: attribute,
        close: `</${prefix}${parameter}>`,
        type: parameterType,
        end: [end],
        endsBefore: closers,
        after: [`<${prefix}${call} `],
        isImplicit: true,
      },
    },
  }
}

/** `string="false"` means that the value is JSON; without the attribute it is text, or of the parameter's type. */
function parameterType({ attributes }: Opening): ParameterType | 'json' | undefined {
  const isString = attributes.get('string')
  if (isString === undefined) return undefined
  return isString === 'false' ? 'json' : 'string'
}

/** The bars of DeepSeek's tags, as its tokenizer writes them and as servers change them. */
const bars = ['｜', '|', '‖', '｜｜']

/** DeepSeek V3.2 and V4, and V4.1, whose tags contain a space. */
export const dsml = combine(
  'dsml',
  invoke({
    wrappers: ['tool_calls', 'function_calls'],
    prefixes: bars.map((bar) => `${bar}DSML${bar}`),
    control: true,
  }),
  invoke({
    wrappers: ['calls'],
    prefixes: bars.map((bar) => `${bar}DSML${bar} `),
    control: true,
  }),
)
