import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createStaticFiles } from './static-files.ts'

const root = mkdtempSync(join(tmpdir(), 'millrace-static-'))
const folder = join(root, 'public')
mkdirSync(join(folder, 'assets'), { recursive: true })
mkdirSync(join(folder, 'v1.2'))
writeFileSync(join(folder, 'index.html'), '<h1>Studio</h1>')
writeFileSync(join(folder, 'assets/index-B7x_k2Qd.js'), 'run()')
writeFileSync(join(folder, 'assets/page-settings.js'), 'set()')
writeFileSync(join(folder, '.hidden.html'), 'hidden')
writeFileSync(join(root, 'secret.html'), 'secret')
symlinkSync(join(root, 'secret.html'), join(folder, 'link.html'))
const files = createStaticFiles(folder)

afterAll(() => rmSync(root, { recursive: true }))

const get = (path: string, method = 'GET') =>
  files.respond(new Request(`http://localhost${path}`, { method }))

describe('the files of a folder', () => {
  test('include the page itself, which is revalidated each time', async () => {
    const response = await get('/')
    expect(await response?.text()).toBe('<h1>Studio</h1>')
    expect(response?.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response?.headers.get('cache-control')).toBe('no-cache')
    expect(response?.headers.get('content-security-policy')).toContain("default-src 'self'")
  })

  test('with a content hash in the name are cached permanently', async () => {
    const response = await get('/assets/index-B7x_k2Qd.js')
    expect(response?.headers.get('cache-control')).toContain('immutable')
    expect(response?.headers.get('content-type')).toContain('text/javascript')
  })

  test('with words in the name are not taken for files with a content hash', async () => {
    const response = await get('/assets/page-settings.js')
    expect(response?.headers.get('cache-control')).toBe('no-cache')
  })

  test('do not include a folder of any name', async () => {
    expect(await get('/v1.2')).toBeUndefined()
    expect(await get('/v1.2', 'HEAD')).toBeUndefined()
  })

  test('may be below a path, and only there', async () => {
    const under = createStaticFiles(folder, { under: '/docs' })
    const at = (path: string) => under.respond(new Request(`http://localhost${path}`))
    expect((await at('/docs/'))?.status).toBe(200)
    expect((await at('/docs/assets/page-settings.js'))?.status).toBe(200)
    expect(await at('/')).toBeUndefined()
    expect(await at('/docsassets/page-settings.js')).toBeUndefined()
    expect(await at('/docs/../docs/.hidden.html')).toBeUndefined()
  })

  test('have only headers for HEAD', async () => {
    const response = await get('/', 'HEAD')
    expect(response?.body).toBeNull()
    expect(response?.status).toBe(200)
  })

  test.each([
    '/missing.html',
    '/assets',
    '/assets/',
    '/../secret.html',
    '/%2e%2e/secret.html',
    '/..%2fsecret.html',
    '/..%5csecret.html',
    '/assets/%2e%2e/%2e%2e/secret.html',
    '/link.html',
    '/.hidden.html',
    '/index.html%00.js',
    '/%',
  ])('do not include %s', async (path) => expect(await get(path)).toBeUndefined())

  test('can only be read', async () => expect(await get('/', 'POST')).toBeUndefined())
})
