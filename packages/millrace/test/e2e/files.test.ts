import { afterEach, expect, test } from 'vitest'
import { createTestServers } from '../support/servers/test-servers.ts'
import { readStream, toMessages, typesOf } from '../support/frames/read-stream.ts'

const testServers = createTestServers()
const { open } = testServers

afterEach(testServers.close)

const png = new Uint8Array(3_000_000).map((_, index) => (index * 7919) % 251)
png.set([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10])

function formOf(fields: Readonly<Record<string, string>>, ...files: File[]): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.set(name, value)
  for (const file of files) form.append('files', file)
  return form
}

test('a prompt with a large image reaches the model over a real socket', async () => {
  const { url, errors } = await open()
  const body = formOf({ user_prompt: '/demo text' }, new File([png], 'a.png'))
  const stream = await readStream(
    await fetch(`${url}/agent/run/multipart`, { method: 'POST', body }),
  )
  expect(stream.isDone).toBe(true)
  expect(typesOf(stream).at(-1)).toBe('meta_end')
  expect(toMessages(stream)[0]?.delta).toContain('2.9 MB')
  expect(errors).toEqual([])
})

test('an upload is returned byte for byte, to be saved or shown', async () => {
  const { url } = await open()
  const body = formOf({}, new File([png], 'ä/b.png'), new File(['<b>words</b>'], 'page.html'))
  const response = await fetch(`${url}/agent/upload`, { method: 'POST', body })
  const { agent_uuid, files } = (await response.json()) as {
    agent_uuid: string
    files: { id: string }[]
  }
  const [image, page] = await Promise.all(
    files.map(({ id }) => fetch(`${url}/agent/${agent_uuid}/files/${id}`)),
  )
  // toEqual would take half a minute for this many bytes.
  expect(Buffer.from(await image!.arrayBuffer()).equals(png)).toBe(true)
  expect(image!.headers.get('content-disposition')).toBe('inline')
  expect(page!.headers.get('content-type')).toBe('text/plain')
  expect(page!.headers.get('content-disposition')).toContain('attachment; filename="page.html"')
  expect(page!.headers.get('content-security-policy')).toContain('sandbox')
})

test('a chart of a tool is served at the location in its frame', async () => {
  const { ask, url, violations } = await open()
  const stream = await ask('/demo images')
  const shown = toMessages(stream).find(({ type }) => type === 'tool_result_image')
  const src = String(shown?.['src'])
  expect(src).toMatch(new RegExp(`^/agent/${stream.session}/images/img_[0-9a-f]{32}$`))
  const response = await fetch(`${url}${src}`)
  expect(response.headers.get('content-type')).toBe('image/png')
  const bytes = new Uint8Array(await response.arrayBuffer())
  expect(Array.from(bytes.slice(0, 4))).toEqual([0x89, 0x50, 0x4e, 0x47])
  expect(violations).toEqual([])
})

test('a form that is too large is rejected before it has arrived completely', async () => {
  const { url } = await open({ limits: { maxUploadBytes: 100_000 } })
  const body = formOf({}, new File([png], 'a.png'))
  const response = await fetch(`${url}/agent/upload`, { method: 'POST', body })
  expect(response.status).toBe(413)
})
