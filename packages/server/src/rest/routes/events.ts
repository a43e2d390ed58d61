import { defineRoutes } from '../route.ts'

export const eventRoutes = defineRoutes({
  'GET /events': {
    summary:
      'Lists events, newest first, one page at a time. If minDate, after, and last are omitted, lists only the events of the month before maxDate (by default, before now).',
    document: `query listEvents(
      $size: Int = 100, $from: Int, $after: ID, $last: String, $minDate: DateTime, $maxDate: DateTime
      $types: [EventType!], $deviceId: [String!], $where: String, $view: ID, $context: String, $now: DateTime
      $total: Boolean! = true
    ) {
      login {
        events(
          size: $size, from: $from, after: $after, last: $last, minDate: $minDate, maxDate: $maxDate
          types: $types, deviceId: $deviceId, where: $where, view: $view, context: $context, now: $now
        ) { items { ...Event } total @include(if: $total) hasMore last cursor }
      }
    }`,
    at: 'login.events',
  },
  'GET /events/counts': {
    summary:
      'Counts the matching events in time intervals, oldest interval first. If minDate is omitted, counts only the events of the month before maxDate (by default, before now).',
    document: `query countEvents(
      $intervals: Int = 60, $minDate: DateTime, $maxDate: DateTime, $types: [EventType!], $deviceId: [String!]
      $where: String, $view: ID, $context: String, $now: DateTime
    ) {
      login {
        items: eventCounts(
          intervals: $intervals, minDate: $minDate, maxDate: $maxDate, types: $types, deviceId: $deviceId
          where: $where, view: $view, context: $context, now: $now
        ) { ...EventCount }
      }
    }`,
    at: 'login',
  },
  'GET /events/download': {
    summary:
      'Returns a link for downloading the matching events as CSV. If minDate is omitted, the file contains only the events of the month before maxDate (by default, before now). The link is valid for one hour, but only while the access key that signed the request is valid.',
    document: `query getEventsUrl(
      $minDate: DateTime, $maxDate: DateTime, $types: [EventType!], $deviceId: [String!]
      $where: String, $view: ID, $context: String
    ) {
      login {
        url: eventsUrl(
          minDate: $minDate, maxDate: $maxDate, types: $types, deviceId: $deviceId, where: $where, view: $view, context: $context
        )
      }
    }`,
    at: 'login',
  },
  'GET /devices/{id}/events': {
    summary:
      "Lists a device's events, newest first, one page at a time. If minDate, after, and last are omitted, lists only the events of the month before maxDate (by default, before now).",
    document: `query listDeviceEvents(
      $id: String!, $size: Int = 100, $from: Int, $after: ID, $last: String, $minDate: DateTime, $maxDate: DateTime
      $types: [EventType!], $total: Boolean! = true
    ) {
      login {
        device(id: [$id]) {
          events(
            size: $size, from: $from, after: $after, last: $last, minDate: $minDate, maxDate: $maxDate, types: $types
          ) { items { ...Event } total @include(if: $total) hasMore last cursor }
        }
      }
    }`,
    at: 'login.device[0].events',
  },
})
