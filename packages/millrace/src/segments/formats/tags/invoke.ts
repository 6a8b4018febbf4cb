import type { Opening } from '../../engine/reader.ts'
import type { FormatBlock, Format, FieldsBody } from '../../format.ts'
import { combine, inSection } from '../combine.ts'
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

const STEP_CALLS_END = '<｜tool_calls_end｜>'
const STEP_CALL_END = '<｜tool_call_end｜>'
const STEP_CALL = '<｜tool_call_begin｜>'
const STEP_SEPARATOR = '<｜tool_sep｜>'
const STEP_PREFIX = 'steptml:'

const stepCall: FormatBlock = {
  open: {
    literal: [STEP_CALL, STEP_SEPARATOR + STEP_CALL].flatMap((open) => [
      `${open}function${STEP_SEPARATOR}`,
      open,
    ]),
  },
  control: true,
  orphans: [STEP_CALL_END, STEP_SEPARATOR],
  body: {
    wrapper: {
      close: [STEP_CALL_END],
      blocks: [invokeBlock({}, STEP_PREFIX, [STEP_CALL_END, STEP_CALLS_END])],
    },
  },
}

/** Step 3: its own `invoke` tags between special tokens with full-width bars. */
export const step3 = combine(
  'step3',
  ...inSection(
    stepCall,
    { open: { literal: '<｜tool_calls_begin｜>' }, control: true },
    STEP_CALLS_END,
  ),
  bareInvoke({}, STEP_PREFIX),
)

const FUNCTION_END = '</function>'

const namedFields: FieldsBody = {
  name: 'name',
  field: [{ tag: 'param', require: ['name'] }, { assign: '<paramname=' }],
  key: 'name',
  close: '</param>',
  end: [FUNCTION_END],
  after: ['<function'],
  isImplicit: true,
}

/** MiniCPM 5: `<function name="f"><param name="k">v</param></function>`, sometimes without the spaces. */
export const minicpm5: Format = {
  name: 'minicpm5',
  blocks: [
    {
      open: { tag: 'function', require: ['name'] },
      orphans: [FUNCTION_END],
      body: { fields: namedFields },
    },
    { open: { assign: '<functionname=' }, body: { fields: namedFields } },
  ],
}

const WRAPPER_END = '</function_calls>'
const INVOKE_END = '</invoke>'

const plainCall: FormatBlock = {
  open: { literal: '<invoke>' },
  orphans: [INVOKE_END],
  body: {
    named: {
      until: ['</tool_name>'],
      pattern: /^<tool_name>\s*(?<name>[^\s<]+)$/,
      body: {
        fields: {
          field: { tag: '*' },
          close: 'tag',
          end: [INVOKE_END],
          endsBefore: [WRAPPER_END],
          skip: ['<parameters>', '</parameters>'],
        },
      },
    },
  },
}

/** Calls in the notation of Anthropic's prompts of 2023: the name in its own tag, and each parameter too. */
export const anthropic2023: Format = {
  name: 'anthropic-2023',
  blocks: inSection(plainCall, { open: { tag: 'function_calls' } }, WRAPPER_END),
}
