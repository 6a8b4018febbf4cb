import type { FieldsBody, Format } from '../../format.ts'

const END = '</function>'

const fields: FieldsBody = {
  name: 'name',
  field: [{ tag: 'param', require: ['name'] }, { assign: '<paramname=' }],
  key: 'name',
  close: '</param>',
  end: [END],
  after: ['<function'],
  isImplicit: true,
}

/** MiniCPM 5: `<function name="f"><param name="k">v</param></function>`, sometimes without the spaces. */
export const minicpm5: Format = {
  name: 'minicpm5',
  blocks: [
    { open: { tag: 'function', require: ['name'] }, orphans: [END], body: { fields } },
    { open: { assign: '<functionname=' }, body: { fields } },
  ],
}
