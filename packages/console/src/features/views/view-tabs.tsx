import { ActionIcon, Button, Group, Menu } from '@mantine/core'
import { IconBookmarkPlus, IconDots, IconPencil, IconTrash } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useViewer } from '../user-settings/viewer.ts'
import type { ViewContent } from './save-view.tsx'
import type { SavedView } from './use-views.ts'
import { type FilterKind, viewLists } from './view-lists.ts'
import classes from './view-tabs.module.css'

const SaveView = lazy(async () => ({ default: (await import('./save-view.tsx')).SaveView }))
const DeleteView = lazy(async () => ({ default: (await import('./delete-view.tsx')).DeleteView }))

interface ViewTabsProps {
  kind: FilterKind
  views: readonly SavedView[]
  /** Undefined if no view is selected. */
  view: SavedView | undefined
  content: ViewContent
  /** Whether the list differs from the view or, without a view, from the default list. */
  isChanged: boolean
  /** Replaces the whole state of the list, so that it shows a view or, without an ID, all objects. */
  onShow(id: string | undefined): void
}

export function ViewTabs({ kind, views, view, content, isChanged, onShow }: ViewTabsProps) {
  const maySave = useViewer().may('VIEW_MANAGE')
  const [saving, setSaving] = useState<'new' | 'change'>()
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Group gap="xs" mb="xs" align="center">
      <nav className={classes.tabs} aria-label="Views">
        <Tab kind={kind} isCurrent={view === undefined} search={{}}>
          {`All ${viewLists[kind].what}`}
        </Tab>
        {views.map(({ id, name, description }) => (
          <Tab key={id} kind={kind} isCurrent={id === view?.id} search={{ view: id }} title={description ?? undefined}>
            {name}
          </Tab>
        ))}
      </nav>
      {view === undefined || !maySave ? null : (
        <Menu position="bottom-end">
          <Menu.Target>
            <ActionIcon aria-label={`Actions for view ${view.name}`}>
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item leftSection={<IconPencil size={16} aria-hidden="true" />} onClick={() => setSaving('change')}>
              Edit view
            </Menu.Item>
            <Menu.Item
              color="red"
              leftSection={<IconTrash size={16} aria-hidden="true" />}
              onClick={() => setDeleting(true)}
            >
              Delete view
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {isChanged && maySave ? (
        <Button
          size="compact-sm"
          variant="light"
          style={{ flex: 'none' }}
          leftSection={<IconBookmarkPlus size={14} aria-hidden="true" />}
          onClick={() => setSaving('new')}
        >
          Save as view
        </Button>
      ) : null}
      {view !== undefined && isChanged && maySave ? (
        <Button size="compact-sm" variant="light" style={{ flex: 'none' }} onClick={() => setSaving('change')}>
          Update view
        </Button>
      ) : null}
      {saving === undefined ? null : (
        <Suspense>
          <SaveView
            kind={kind}
            view={saving === 'change' ? view : undefined}
            content={content}
            onClose={() => setSaving(undefined)}
            onSaved={onShow}
          />
        </Suspense>
      )}
      {view === undefined || !isDeleting ? null : (
        <Suspense>
          <DeleteView
            {...{ kind, view, views }}
            onClose={() => setDeleting(false)}
            onDeleted={() => onShow(undefined)}
          />
        </Suspense>
      )}
    </Group>
  )
}

interface TabProps {
  kind: FilterKind
  search: { view?: string }
  isCurrent: boolean
  title?: string | undefined
  children: string
}

const Tab = ({ kind, search, isCurrent, title, children }: TabProps) => (
  <Link
    to={viewLists[kind].to}
    search={search}
    // Without this option, the link to all objects would be the current link in every view.
    activeOptions={{ exact: true, includeSearch: true }}
    className={classes.tab}
    title={title}
    aria-current={isCurrent ? 'page' : undefined}
  >
    {children}
  </Link>
)
