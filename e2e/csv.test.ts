import { readFile } from 'node:fs/promises'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type SeedDevice, seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'

describeConsole('device CSV', () => {
  const site = startConsole({ worker: true })

  const personWith = async (devices: readonly SeedDevice[]): Promise<Person> => {
    const person = await site.newPerson()
    await seedDevices(site.app.db, person.accountId, devices)
    return person
  }
  const openImport = async (page: Page, csv: string): Promise<Locator> => {
    await page.getByRole('button', { name: 'CSV', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Import CSV' }).click()
    const dialog = page.getByRole('dialog', { name: 'Import devices from CSV' })
    await chooseFile(page, dialog, csv)
    return dialog
  }
  const chooseFile = async (page: Page, dialog: Locator, csv: string): Promise<void> => {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      dialog.getByRole('button', { name: 'Choose a file' }).click(),
    ])
    await chooser.setFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) })
  }
  const download = async (page: Page, click: () => Promise<void>): Promise<string> => {
    const [file] = await Promise.all([page.waitForEvent('download'), click()])
    return readFile(await file.path(), 'utf8')
  }
  const names = async (person: Person): Promise<string[]> => {
    const { login } = await person.data('{ login { devices(size: 1000) { items { name } } } }')
    return login.devices.items.map(({ name }: { name: string }) => name)
  }

  it('shows the effects of an import by line, and writes only after confirmation', async () => {
    const person = await personWith([
      { name: 'gateway', attributes: { site: 'bergen' } },
      { name: 'sensor', attributes: { site: 'oslo' } },
    ])
    const page = await site.open(person)
    await page.getByText('2 in total').waitFor()
    const file = [
      'name,site,Platform,services',
      'gateway,oslo,,ssh:22',
      'sensor,oslo,,',
      ',oslo,,',
      'pump,turku,,nothing:80',
      'fan,riga,linux,',
    ].join('\n')
    const dialog = await openImport(page, file)
    const counts = dialog.getByRole('list', { name: 'The import’s effects' }).getByRole('listitem')
    await counts.first().waitFor()
    expect(await counts.allTextContents()).toEqual([
      '1 new device',
      '1 changed device',
      '1 unchanged',
      '2 invalid rows; only the valid rows will be imported',
    ])
    await dialog.getByText('The column “Platform” will be imported as an attribute').waitFor()
    const bad = dialog.getByRole('table', { name: 'Invalid rows' })
    await bad.getByRole('row', { name: '4 name must not be empty' }).waitFor()
    await bad.getByRole('row', { name: /^5 services: unknown type "nothing"; [^{]*$/ }).waitFor()
    await dialog.getByRole('tab', { name: 'Changed (1)' }).click()
    await dialog.getByRole('row', { name: '2 gateway services: ssh:22 (new) site: bergen → oslo' }).waitFor()
    expect(await names(person)).toEqual(['gateway', 'sensor'])

    await dialog.getByRole('button', { name: 'Import 2 rows' }).click()
    await dialog.getByText('1 created, 1 updated, 1 unchanged, 2 rejected.').first().waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByText('3 in total').waitFor()
    await page.getByRole('link', { name: 'fan' }).waitFor()
    const { login } = await person.data('{ login { devices(name: "gateway") { items { attributes } } } }')
    expect(login.devices.items).toEqual([{ attributes: { site: 'oslo' } }])
    await page.getByRole('columnheader', { name: 'Platform' }).nth(1).waitFor()
  })

  it('reports the line and column of each row that the server rejects', async () => {
    const page = await site.open(await personWith([]))
    const dialog = await openImport(page, 'name,services\npump,ssh:22;web=http:a/b:80\n')
    await dialog.getByRole('button', { name: 'Import 1 row' }).click()
    await dialog.getByText('0 created, 0 updated, 0 unchanged, 1 rejected.').first().waitFor()
    const row = dialog.getByRole('table', { name: 'Invalid rows' }).getByRole('row').last()
    expect(await row.textContent()).toMatch(/^2services, entry 2: host [^()]+$/)
  })

  it('explains why a file is invalid, and accepts another file', async () => {
    const page = await site.open(await personWith([]))
    const dialog = await openImport(page, 'name;site\na;b\n')
    await dialog.getByText('separate the columns with commas, not with semicolons').waitFor()
    const dropped = await page.evaluateHandle(`
      const transfer = new DataTransfer()
      transfer.items.add(new File(['name\\na\\n'], 'dropped.csv', { type: 'text/csv' }))
      transfer`)
    await dialog.getByText('Drop a CSV file here').dispatchEvent('drop', { dataTransfer: dropped })
    await dialog.getByText('dropped.csv has 1 row.').waitFor()
    await dialog.getByRole('button', { name: 'Import 1 row' }).waitFor()
  })

  it('stops an import when asked, shows the progress, and imports the other rows with the next import', async () => {
    const person = await personWith([])
    const page = await site.open(person)
    const file = ['name,hardwareId', ...Array.from({ length: 300 }, (_, number) => `node-${number},H${number}`)].join(
      '\n',
    )
    const dialog = await openImport(page, file)
    await dialog.getByRole('button', { name: 'Import 300 rows' }).waitFor()
    // Delay the page's reads of the job, so that the job does not start before the test presses Stop.
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/graphql/v1', async (route) => {
      if (route.request().postData()?.includes('ReadJob')) await held
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Import 300 rows' }).click()
    await dialog.getByText('0 of 300 rows processed').first().waitFor()
    await dialog.getByText('If you leave this page, the server continues the import.').waitFor()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    release()
    await dialog
      .getByText(/^Stopped: \d+ created, 0 updated, 0 unchanged\.$/)
      .first()
      .waitFor()
    const created = (await names(person)).length
    expect(created).toBeLessThan(300)
    await dialog.getByText(`Stopped: ${created} created`).first().waitFor()
    await dialog.getByText(`${300 - created} rows may not have been imported`).waitFor()

    await dialog.getByRole('button', { name: 'Import another file' }).click()
    await chooseFile(page, dialog, file)
    await dialog.getByText(`${created} unchanged`).first().waitFor()
    await dialog.getByRole('button', { name: `Import ${300 - created} rows` }).click()
    await dialog
      .getByText(`${300 - created} created, 0 updated, ${created} unchanged.`)
      .first()
      .waitFor()
    expect(await names(person)).toHaveLength(300)
  })

  it('exports the selected devices as shown, and escapes cells that a spreadsheet would run as formulas', async () => {
    const person = await personWith([
      { name: '=1+1', platform: 'linux', attributes: { site: 'Tromsø, "north"' } },
      { name: 'other' },
      { name: 'pump', platform: '-2+3', attributes: { site: 'riga' } },
    ])
    const columns = encodeURIComponent(JSON.stringify(['platform', 'attributes.site']))
    const page = await site.open(person, { path: `/devices?columns=${columns}` })
    await page.getByLabel('Select =1+1', { exact: true }).click()
    await page.getByLabel('Select pump', { exact: true }).click()
    await page.getByRole('region', { name: 'Selected devices' }).getByRole('button', { name: 'Export CSV' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export devices as CSV' })
    const text = await download(page, () => dialog.getByRole('button', { name: 'Export' }).click())
    expect(text).toBe(`\uFEFFName,Platform,site\n'=1+1,linux,"Tromsø, ""north"""\npump,'-2+3,riga\n`)
    await dialog
      .getByText(/^2 devices were exported to devices-.*\.csv/)
      .first()
      .waitFor()
  })

  it('waits until the date in the Retry-After header of a proxy before it repeats a request', async () => {
    const page = await site.open(await personWith([{ name: 'pump' }]))
    let retryAt = 0
    const sent: number[] = []
    await page.route('**/graphql/v1', async (route) => {
      if (!route.request().postData()?.includes('query Devices($size')) return route.continue()
      sent.push(Date.now())
      if (sent.length > 1) return route.continue()
      const retryAfter = new Date(Date.now() + 3_000).toUTCString()
      retryAt = Date.parse(retryAfter)
      const body = '<h1>429 Too Many Requests</h1>'
      await route.fulfill({ status: 429, headers: { 'retry-after': retryAfter, 'content-type': 'text/html' }, body })
    })
    await page.getByRole('button', { name: 'CSV', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Export CSV' }).click()
    const dialog = page.getByRole('dialog', { name: 'Export devices as CSV' })
    const text = await download(page, () => dialog.getByRole('button', { name: 'Export' }).click())
    expect(text).toContain('pump')
    expect(sent).toHaveLength(2)
    // Timers may fire a few milliseconds early.
    expect(sent[1]).toBeGreaterThanOrEqual(retryAt - 10)
  })

  it('exports all matching devices to a file that changes nothing when imported', async () => {
    const person = await personWith([
      { name: 'a-1', hardwareId: 'H1', attributes: { site: 'oslo', net: { ssid: '' } }, statusA: 'ok' },
      { name: 'a-2', attributes: { note: 'two\nlines; "quoted"' } },
      { name: '=a-3', platform: ' linux ' },
      { name: 'b-1' },
    ])
    const page = await site.open(person)
    const exporting = page.getByRole('dialog', { name: 'Export devices as CSV' })
    const openExport = async (): Promise<void> => {
      await page.getByRole('button', { name: 'CSV', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Export CSV' }).click()
    }
    await page.getByText('4 in total').waitFor()
    await openExport()
    await exporting.getByText('All 4 devices.', { exact: true }).waitFor()
    await page.goto(`${site.app.url}/devices?name=a-`)
    await page.getByText('3 match').waitFor()
    await openExport()
    await exporting.getByText('The 3 devices that match the filters.').waitFor()
    await exporting.getByRole('radio', { name: 'All data, for import' }).check()
    const text = await download(page, () => exporting.getByRole('button', { name: 'Export' }).click())
    expect(text.replace('\uFEFF', '').split('\n')[0]).toBe(
      'name,hardwareId,platform,services,$svc.statusA,net.ssid,note,site',
    )
    await exporting.getByRole('button', { name: 'Close', exact: true }).last().click()
    const dialog = await openImport(page, text)
    await dialog.getByText('3 unchanged').first().waitFor()
    await dialog.getByRole('button', { name: 'Nothing to import' }).click()
  })
})
