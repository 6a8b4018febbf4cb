import { defineFormat, type Format, presets, toolTags } from '../../segments/index.ts'

/** Kimi K3: channels for reasoning, answer and tools, in tags of special tokens, with typed arguments. */
const kimiK3 = defineFormat({
  name: 'kimi-k3',
  blocks: [
    {
      open: { literal: '<|open|>think<|sep|>' },
      control: true,
      body: { raw: { segment: 'reasoning', close: ['<|close|>think<|sep|>'] } },
    },
    {
      open: { literal: '<|open|>response<|sep|>' },
      control: true,
      body: { raw: { segment: 'text', close: ['<|close|>response<|sep|>'] } },
    },
    {
      open: { literal: '<|open|>tools<|sep|>' },
      control: true,
      body: {
        wrapper: {
          close: ['<|close|>tools<|sep|>'],
          blocks: [
            {
              open: { tag: 'call', prefix: '<|open|>', end: '<|sep|>', require: ['tool'] },
              control: true,
              body: {
                fields: {
                  name: 'tool',
                  field: { tag: 'argument', prefix: '<|open|>', end: '<|sep|>', require: ['key'] },
                  key: 'key',
                  close: '<|close|>argument<|sep|>',
                  type: ({ attributes }) =>
                    attributes.get('type') === 'string' ? 'string' : 'json',
                  end: ['<|close|>call<|sep|>'],
                  endsBefore: ['<|close|>tools<|sep|>'],
                },
              },
            },
          ],
        },
      },
    },
  ],
})

/** Formats that are no presets: for the tools of one agent, or written with what users have. */
const recipes: Readonly<Record<string, Format>> = {
  cline: toolTags({ read_file: ['path'], write_to_file: ['path', 'content'] }),
  'kimi-k3': kimiK3,
}

const named: Readonly<Record<string, Format>> = { ...recipes, ...presets }

/** The formats that a case names, joined by `+`. */
export function toFormats(names: string): Format[] {
  return names.split('+').map((name) => {
    const format = Object.hasOwn(named, name) ? named[name] : undefined
    if (format === undefined) throw new Error(`there is no format ${name}`)
    return format
  })
}
